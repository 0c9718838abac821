// Package scoreretrieval is the stage that sends every query of the golden set
// to the proxy under test, through the proxy's real search path, and scores the
// answers as trec_eval does.
//
// It starts its own proxy, with servers that replay the corpus. The number of
// the run permutes the order of servers, of tools within each server and of
// queries, so that several runs show whether the proxy is sensitive to any of
// them. The order of a list is the proxy's order: scores are recorded but not
// used.
//
// Comparisons with a baseline do not belong in this package.
package scoreretrieval

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// Options are the inputs and outputs of the stage.
type Options struct {
	Proxy  string // the output directory of build-proxy
	Corpus string
	Golden string
	Index  string // the snapshot written by snapshot-index
	Out    string
	// Run is the number of the run, from 1: the seed of all permutations.
	Run int
	// Search is contracts.SearchMCP or contracts.SearchREST.
	Search  string
	Degrade string // see undertest.ParseDegrade
	// ReadyTimeout limits the time until everything is indexed, and
	// QueryTimeout the time of one query.
	ReadyTimeout time.Duration
	QueryTimeout time.Duration
	// MaxFailed is the share of queries, 0 to 1, that may fail. A failed query
	// counts as missed. If more fail, the stage fails. Nil means a half.
	MaxFailed *float64
	// Depth is the number of results to ask for, from 10 to 100; 0 means 10. Metrics without a cut-off,
	// such as MRR, are over all of them.
	Depth int
	// Executable replays the corpus and contains the embedded proxy; empty
	// means this program.
	Executable string
	// Progress receives messages about what the stage is waiting for, and the
	// result.
	Progress func(message string)
}

// Command returns the command of the stage.
func Command() *cobra.Command {
	var opts Options
	maxFailed := defaultMaxFailed
	cmd := &cobra.Command{
		Use:   "score-retrieval --proxy DIR --corpus FILE --golden FILE --index FILE --run N --out FILE",
		Short: "Send every query to the proxy and score the answers",
		Args:  arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.MaxFailed = &maxFailed
			opts.Progress = func(message string) { cmd.PrintErrln(message) }
			return Run(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Proxy, "proxy", "", "the output directory of build-proxy")
	f.StringVar(&opts.Corpus, "corpus", "", "the corpus")
	f.StringVar(&opts.Golden, "golden", "", "the golden set")
	f.StringVar(&opts.Index, "index", "", "the snapshot written by snapshot-index")
	f.StringVar(&opts.Out, "out", "", "the report file to write")
	f.IntVar(&opts.Run, "run", 1, "the number of the run, from 1; it seeds the permutations")
	f.StringVar(&opts.Search, "search", contracts.SearchMCP, "the search path to use: mcp (retrieve_tools) or rest")
	f.StringVar(&opts.Degrade, "degrade", "",
		"deliberately degrade the index: drop-descriptions, reverse-top or hide=SERVER:TOOL")
	f.DurationVar(&opts.ReadyTimeout, "ready-timeout", undertest.DefaultReadyTimeout,
		"how long the proxy may take to index everything")
	f.DurationVar(&opts.QueryTimeout, "query-timeout", 10*time.Second, "how long the proxy may take to answer a query")
	f.Float64Var(&maxFailed, "max-failed", defaultMaxFailed,
		"the share of queries that may fail; each counts as missed, and the stage fails if there are more")
	f.IntVar(&opts.Depth, "depth", defaultDepth, "how many results to ask for, 10 to 100; metrics without a cut-off, "+
		"such as MRR, are over all of them")
	for _, name := range []string{"proxy", "corpus", "golden", "index", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag does not exist: a bug in this program
		}
	}

	return cmd
}
