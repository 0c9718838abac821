// Package analyzesimilarity is the stage that finds tools of the corpus that a
// model may confuse: pairs with similar texts, pairs with overlapping
// capabilities, and groups of such tools. It compares words and needs no model.
package analyzesimilarity

import (
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
)

// Options are the inputs and outputs of the stage.
type Options struct {
	Corpus, Out string
	// Method is similarity.TFIDF or similarity.DescriptionOverlap.
	Method string
	// Threshold is the lowest score, 0 to 1, at which pairs are listed and
	// tools are grouped.
	Threshold float64
	// Progress receives the result.
	Progress func(message string)
}

// Command returns the command of the stage.
func Command() *cobra.Command {
	var opts Options
	cmd := &cobra.Command{
		Use:   "analyze-similarity --corpus FILE --out FILE",
		Short: "Find tools that a model may confuse",
		Args:  arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.Progress = func(message string) { cmd.PrintErrln(message) }
			return Run(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Corpus, "corpus", "", "the corpus")
	f.StringVar(&opts.Out, "out", "", "where to write the report")
	f.StringVar(&opts.Method, "method", string(similarity.TFIDF),
		"how texts are compared: tfidf (names and descriptions) or description_overlap (descriptions)")
	f.Float64Var(&opts.Threshold, "threshold", similarity.TFIDF.DefaultThreshold(),
		"the score from which pairs are listed and tools are grouped, 0 to 1")
	for _, name := range []string{"corpus", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag does not exist: a bug in this program
		}
	}

	return cmd
}
