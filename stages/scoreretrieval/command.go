// Package scoreretrieval is the stage that asks the proxy under test every
// query of the golden set, through the proxy's real search path, and scores
// the answers as trec_eval scores them.
//
// It has a proxy of its own, over servers that replay the corpus. Run r
// permutes by its number the order of servers, of tools within each server and
// of queries, so that several runs show whether the proxy is sensitive to any
// of them. The order of a list is the proxy's order: scores are recorded as
// they were given and decide nothing.
//
// How figures compare with a baseline is not known here.
package scoreretrieval

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// Options is what the stage reads and writes.
type Options struct {
	Proxy  string // the directory that build-proxy wrote
	Corpus string
	Golden string
	Index  string // the snapshot that snapshot-index wrote
	Out    string
	// Run is the number of the run, from 1: the seed of all permutations.
	Run int
	// Search is contracts.SearchMCP or contracts.SearchREST.
	Search  string
	Degrade string // see undertest.ParseDegrade
	// ReadyTimeout bounds the time until everything is indexed, QueryTimeout
	// one query.
	ReadyTimeout time.Duration
	QueryTimeout time.Duration
	// MaxFailed is the share of queries, 0 to 1, that may fail: one that failed
	// counts as missed, and more than that fail the stage. Nil means a half.
	MaxFailed *float64
	// Executable replays the corpus and is the embedded proxy; empty means
	// this program.
	Executable string
	// Progress is told what is being waited for, and the result.
	Progress func(message string)
}

// Command is the stage's command line.
func Command() *cobra.Command {
	var opts Options
	maxFailed := defaultMaxFailed
	cmd := &cobra.Command{
		Use:   "score-retrieval --proxy DIR --corpus FILE --golden FILE --index FILE --run N --out FILE",
		Short: "Ask the proxy every query and score the answers",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.MaxFailed = &maxFailed
			opts.Progress = func(message string) { cmd.PrintErrln(message) }
			return Run(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Proxy, "proxy", "", "the directory that build-proxy wrote")
	f.StringVar(&opts.Corpus, "corpus", "", "the corpus")
	f.StringVar(&opts.Golden, "golden", "", "the golden set")
	f.StringVar(&opts.Index, "index", "", "the snapshot that snapshot-index wrote")
	f.StringVar(&opts.Out, "out", "", "where to write the report")
	f.IntVar(&opts.Run, "run", 1, "the number of the run, from 1; it seeds the orders")
	f.StringVar(&opts.Search, "search", contracts.SearchMCP, "the search path to drive: mcp (retrieve_tools) or rest")
	f.StringVar(&opts.Degrade, "degrade", "", "harm the index on purpose: drop-descriptions, reverse-top or hide=SERVER:TOOL")
	f.DurationVar(&opts.ReadyTimeout, "ready-timeout", undertest.DefaultReadyTimeout, "how long the proxy may take to index everything")
	f.DurationVar(&opts.QueryTimeout, "query-timeout", 10*time.Second, "how long the proxy may take to answer a query")
	f.Float64Var(&maxFailed, "max-failed", defaultMaxFailed, "the share of queries that may fail before the stage does; each counts as missed")
	for _, name := range []string{"proxy", "corpus", "golden", "index", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that does not exist: a mistake in this program
		}
	}
	return cmd
}
