//go:build !containers

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/metrics/trec"
)

// newTrecCommand returns "touchstone data trec QRELS RUN".
func newTrecCommand(global *globalFlags) *cobra.Command {
	var measures []string
	var perTopic bool
	var out string
	opts := trec.Options{}
	cmd := &cobra.Command{
		Use:   "trec QRELS RUN",
		Short: "Score a TREC run against qrels like trec_eval",
		Long: `Prints ranking measures of a TREC run file in the format of trec_eval 9.0.7, with the same
digits: documents sorted by score, ties by descending document id, unjudged documents not
relevant, means over the topics that both files contain. If no topic is in both files, that is
an error, with -c too: trec_eval 9.0.8 also fails then, and version 10 prints 0. A byte order
mark before either file is skipped.

The measures are ` + strings.Join(trec.MeasureNames(), ", ") + `. Measures with cut-offs take a list, as in
-m recall.1,3,5. The default is the measures that Touchstone reports.

"data export" writes both files; "data import --format trec" reads qrels.`,
		Example: `  touchstone data trec -q -m recall.5 -m recip_rank qrels.txt run.txt
  touchstone data trec -c qrels.txt run.txt`,
		Args: arguments.Exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.Level < 0 {
				return fmt.Errorf("level %d is negative; give 0 or greater", opts.Level)
			}

			var err error
			if opts.Measures, err = trec.ParseMeasures(measures); err != nil {
				return err
			}

			qrels, err := readTrec(args[0], trec.ReadQrels)
			if err != nil {
				return err
			}

			figures, err := readTrec(args[1], func(file string, run io.Reader) (*trec.Evaluation, error) {
				return trec.Evaluate(qrels, file, run, opts)
			})
			if errors.Is(err, trec.ErrNoTopics) {
				return fmt.Errorf("%s and %s: %w", args[0], args[1], err)
			}

			if err != nil {
				return err
			}

			return writeTrec(cmd, out, args, func(w io.Writer) error {
				if global.json {
					return printJSON(w, trecFacts(figures, perTopic))
				}

				return figures.Print(w, perTopic)
			})
		},
	}
	flags := cmd.Flags()
	outputVar(flags, &out, "file", "write to this file, not to standard output")
	flags.BoolVarP(&perTopic, "per-topic", "q", false, "print every topic before the means")
	flags.BoolVarP(&opts.Complete, "complete", "c", false,
		"average over all topics of QRELS; topics that are missing in RUN count as 0")
	flags.IntVarP(&opts.Level, "level", "l", 1, "the lowest relevance that counts as relevant")
	flags.StringArrayVarP(&measures, "measure", "m", nil, "a measure to print, with its cut-offs (repeatable)")
	return cmd
}

// trecJSON is the output of trec --json: figures by measure, over all topics and, with -q,
// for each topic.
type trecJSON struct {
	All    map[string]float64 `json:"all"`
	Topics []trecTopic        `json:"topics"`
}

type trecTopic struct {
	Topic    string             `json:"topic"`
	Measures map[string]float64 `json:"measures"`
}

func trecFacts(e *trec.Evaluation, perTopic bool) trecJSON {
	named := func(figures []float64) map[string]float64 {
		m := make(map[string]float64, len(figures))
		for i, v := range figures {
			m[e.Names[i]] = v
		}

		return m
	}
	facts := trecJSON{All: named(e.All), Topics: []trecTopic{}}
	if perTopic {
		for _, t := range e.Topics {
			facts.Topics = append(facts.Topics, trecTopic{t.ID, named(t.Figures)})
		}
	}

	return facts
}

// maxTrec is the size in bytes of the largest file of judgements, results or topics:
// several million lines.
const maxTrec = 256 << 20

func readTrec[T any](path string, read func(string, io.Reader) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var none T
		return none, fmt.Errorf("cannot read the file: %w; check that it exists and may be read", err)
	}
	defer f.Close()
	return read(path, readlimit.Reader(f, path, maxTrec))
}

// sameRegularFile reports whether two paths lead to one file. A device or a pipe keeps nothing that could be lost.
func sameRegularFile(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, two) && one.Mode().IsRegular()
}

// writeTrec writes to the file out, completely or not at all, or to standard output. It does not replace what was read.
func writeTrec(cmd *cobra.Command, out string, read []string, write func(io.Writer) error) error {
	if out == "" {
		return write(cmd.OutOrStdout())
	}

	for _, in := range read {
		if sameRegularFile(out, in) {
			return fmt.Errorf("-o would replace %s, which this command reads: name another file", in)
		}
	}

	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}

	f, err := atomicfile.Create(out, 0o644)
	if err != nil {
		return err
	}

	defer f.Cleanup()
	if err := write(f); err != nil {
		return err
	}

	return f.Commit()
}
