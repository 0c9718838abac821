// Package scoreselection is the stage that sends every case to a model and
// judges whether it called the right tool with the right parameters.
//
// The model is a baseline, or recorded answers: the stage has no network, and
// its report depends only on the files that it reads. A request without a
// recording is errored and never counts as a wrong answer. With a recorder the
// same code queries a model, by hand and outside of pipelines.
//
// Comparisons with a baseline do not belong in this package.
package scoreselection

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// Options are the inputs and outputs of the stage.
type Options struct {
	Cases  string
	Corpus string
	Out    string
	// Model is provider/model: lexical/bm25, or replay/PROVIDER/MODEL for the
	// answers in Cassette. With Record it is the model to query.
	Model    string
	Cassette string
	// MaxExtraCalls and MaxForbidden limit the calls beside expected ones, and the
	// forbidden ones. A number below 0 is no limit. They are written to the report,
	// and the gate checks them.
	MaxExtraCalls, MaxForbidden int
	// Repeat is the number of the repeat, from 1.
	Repeat int
	// Offer is contracts.OfferAll or contracts.OfferSearch. The other options
	// of this group are for OfferSearch.
	Offer   string
	TopK    int
	Proxy   string // the output directory of build-proxy
	Search  string // contracts.SearchMCP or contracts.SearchREST
	Degrade string // see undertest.ParseDegrade
	// ReadyTimeout limits the time until everything is indexed, and
	// QueryTimeout the time of one search.
	ReadyTimeout time.Duration
	QueryTimeout time.Duration
	// Record is the cassette to add answers to. APIKey refers to the model's
	// key, as env:NAME or file:PATH.
	Record, APIKey, BaseURL string
	// What the cassette keeps for replays. SystemPrompt is the file of the system
	// prompt, and empty for the default one. ToolChoice is auto, required or none, and
	// ParallelToolCalls true, false or empty. They are the same for all cases.
	SystemPrompt, ToolChoice, ParallelToolCalls string
	// Executable replays the corpus and contains the embedded proxy; empty
	// means this program.
	Executable string
	// Progress receives messages about what the stage is waiting for, and the
	// result.
	Progress func(message string)
}

// defaultTopK is about as many tools as a client shows its model.
const defaultTopK = 10

// Command returns the command of the stage.
func Command() *cobra.Command {
	var opts Options
	cmd := &cobra.Command{
		Use:   "score-selection --cases FILE --corpus FILE --model PROVIDER/MODEL --repeat N --out FILE",
		Short: "Put every case to a model and judge what it calls",
		Long: `Puts every case to a model and judges whether it calls the right tool with the right
parameters. lexical/bm25 is a baseline that matches words and needs no model.
replay/PROVIDER/MODEL plays recorded answers back; a case without a recording is
errored.

--record FILE asks the model instead and adds its answers to a cassette. This needs
a network, so it is for the command line and not for pipelines. The cassette also
keeps the system prompt, the tool choice and the parallel calls of each model, and a
replay uses those:

  touchstone stage score-selection --cases datasets/cases_v1.json \
    --corpus datasets/corpus_v1.json --model ollama/qwen3:8b \
    --record answers.json --out report.json`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// The baseline knows no request that it should not act on.
			if strings.HasPrefix(opts.Model, lexical+"/") && !cmd.Flags().Changed("max-forbidden") {
				opts.MaxForbidden = -1
			}

			opts.Progress = func(message string) { cmd.PrintErrln(message) }
			return Run(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Cases, "cases", "", "the cases")
	f.StringVar(&opts.Corpus, "corpus", "", "the corpus")
	f.StringVar(&opts.Out, "out", "", "where to write the report")
	f.StringVar(&opts.Model, "model", "", "who answers: lexical/bm25 or replay/PROVIDER/MODEL")
	f.StringVar(&opts.Cassette, "cassette", "", "the recorded answers of replay/PROVIDER/MODEL")
	f.IntVar(&opts.MaxExtraCalls, "max-extra-calls", -1,
		"the most calls beside expected ones, which the gate checks (-1: no limit)")
	f.IntVar(&opts.MaxForbidden, "max-forbidden", 0,
		"the most calls that a case forbids, or unexpected ones of destructive tools, which the gate checks (-1: no "+
			"limit, the default of lexical)")
	f.IntVar(&opts.Repeat, "repeat", 1, "the number of the repeat, from 1; each has its own recordings")
	f.StringVar(&opts.Offer, "offer", contracts.OfferAll,
		"which tools the model is offered: all, or what the proxy's search finds (search)")
	f.IntVar(&opts.TopK, "top-k", defaultTopK, "with --offer search: how many tools the search is asked for")
	f.StringVar(&opts.Proxy, "proxy", "", "with --offer search: the directory that build-proxy wrote")
	f.StringVar(&opts.Search, "search", contracts.SearchMCP, "the search path to drive: mcp (retrieve_tools) or rest")
	f.StringVar(&opts.Degrade, "degrade", "",
		"harm the index on purpose: drop-descriptions, reverse-top or hide=SERVER:TOOL")
	f.DurationVar(&opts.ReadyTimeout, "ready-timeout", undertest.DefaultReadyTimeout,
		"how long the proxy may take to index everything")
	f.DurationVar(&opts.QueryTimeout, "query-timeout", 10*time.Second, "how long the proxy may take to answer a query")
	f.StringVar(&opts.Record, "record", "", "ask the model and add its answers to this cassette")
	f.StringVar(&opts.APIKey, "api-key", "", "with --record: the API key, as env:NAME or file:PATH")
	f.StringVar(&opts.BaseURL, "base-url", "",
		"with --record: the provider's address, such as http://localhost:8000/v1")
	f.StringVar(&opts.SystemPrompt, "system-prompt", "",
		"with --record: the file of the system prompt, in place of the default one")
	f.StringVar(&opts.ToolChoice, "tool-choice", "",
		"with --record: whether the model calls a tool: auto (default), required or none")
	f.StringVar(&opts.ParallelToolCalls, "parallel-tool-calls", "",
		"with --record: whether the model may make several calls at once: true or false (default: as the provider "+
			"decides)")
	for _, name := range []string{"cases", "corpus", "model", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag does not exist: a bug in this program
		}
	}

	return cmd
}
