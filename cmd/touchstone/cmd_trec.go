package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
	"github.com/touchstone-eval/touchstone/metrics/trec"
)

// newTrecCommand returns "touchstone data trec QRELS RUN", with subcommands for conversions.
func newTrecCommand(global *globalFlags) *cobra.Command {
	var measures []string
	var perTopic bool
	var out string
	opts := trec.Options{}
	cmd := &cobra.Command{
		Use:   "trec QRELS RUN",
		Short: "Score a TREC run against qrels like trec_eval, and convert from and to both",
		Long: `Prints ranking measures of a TREC run file in the format of trec_eval 9.0.7, with the same
digits: documents sorted by score, ties by descending document id, unjudged documents not
relevant, means over the topics that both files contain. If no topic is in both files, that is
an error, with -c too: trec_eval 9.0.8 also fails then, and version 10 prints 0. A byte order
mark before either file is skipped.

The measures are ` + strings.Join(trec.MeasureNames(), ", ") + `. Measures with cut-offs take a list, as in
-m recall.1,3,5. The default is the measures that Touchstone reports.`,
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

			return writeTrec(cmd, out, func(w io.Writer) error {
				if global.json {
					return printJSON(w, trecFacts(figures, perTopic))
				}

				return figures.Print(w, perTopic)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&out, "output", "o", "", "write to this file, not to standard output")
	flags.BoolVarP(&perTopic, "per-topic", "q", false, "print every topic before the means")
	flags.BoolVarP(&opts.Complete, "complete", "c", false,
		"average over all topics of QRELS; topics that are missing in RUN count as 0")
	flags.IntVarP(&opts.Level, "level", "l", 1, "the lowest relevance that counts as relevant")
	flags.StringArrayVarP(&measures, "measure", "m", nil, "a measure to print, with its cut-offs (repeatable)")
	cmd.AddCommand(newTrecExportQrels(), newTrecExportRun(), newTrecImportQrels())
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

func newTrecExportQrels() *cobra.Command {
	var golden, out string
	cmd := &cobra.Command{
		Use:   "export-qrels --golden FILE [--out QRELS]",
		Short: "Write the labels of a golden set as a qrels file",
		Args:  arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			g, err := contracts.Read[contracts.GoldenSet](golden)
			if err != nil {
				return ofFlag("golden", err)
			}

			return writeTrec(cmd, out, func(w io.Writer) error { return convert.WriteQrels(w, g) })
		},
	}
	cmd.Flags().StringVar(&golden, "golden", "", "the golden set")
	cmd.Flags().StringVar(&out, "out", "", "the qrels file to write (default: standard output)")
	cmd.MarkFlagRequired("golden")
	return cmd
}

func newTrecExportRun() *cobra.Command {
	var report, out string
	cmd := &cobra.Command{
		Use:   "export-run --report FILE [--out RUN]",
		Short: "Write the ranked lists of one run of score-retrieval as a run file",
		Long: `Writes the ranked lists of a retrieval report, so that trec_eval -c prints the figures of
the report. It writes the scores of the proxy if they agree with the order of its answers.
Otherwise it writes scores that count down from the first rank.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := contracts.Read[contracts.RetrievalReport](report)
			if err != nil {
				return ofFlag("report", err)
			}

			return writeTrec(cmd, out, func(w io.Writer) error { return convert.WriteRun(w, r) })
		},
	}
	cmd.Flags().StringVar(&report, "report", "", "the report of one run of score-retrieval")
	cmd.Flags().StringVar(&out, "out", "", "the run file to write (default: standard output)")
	cmd.MarkFlagRequired("report")
	return cmd
}

func newTrecImportQrels() *cobra.Command {
	var qrelsFile, topicsFile, corpusFile, version, source, license, out string
	cmd := &cobra.Command{
		Use:   "import-qrels --qrels FILE --topics FILE --corpus FILE --out GOLDEN",
		Short: "Make a golden set from a qrels file and the texts of its topics",
		Long: `Makes a golden set for a corpus. The topics file has one topic per line: its id, a tab and
its text. The documents of the qrels are tool ids. Check the result with
validate-datasets.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			corpus, _, err := readTools(corpusFile, "")
			if err != nil {
				return ofFlag("corpus", err)
			}

			qrels, err := readTrec(qrelsFile, trec.ReadQrels)
			if err != nil {
				return ofFlag("qrels", err)
			}

			topics, err := readTrec(topicsFile, convert.ReadTopics)
			if err != nil {
				return ofFlag("topics", err)
			}

			golden, unjudged, err := convert.GoldenSet(corpus, qrels, topics)
			if err != nil {
				return fmt.Errorf("%s: %w", qrelsFile, err)
			}

			golden.Version = version
			if source != "" {
				golden.GeneratedFrom = &contracts.GeneratedFrom{Source: source, License: license}
			}

			if err := contracts.Write(out, golden); err != nil {
				return err
			}

			fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s: %d queries, %d topics left out because they have no label\n", out,
				len(golden.Queries), len(unjudged))
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&qrelsFile, "qrels", "", "the judgements")
	flags.StringVar(&topicsFile, "topics", "", "the texts of the topics: id, tab, text")
	flags.StringVar(&corpusFile, "corpus", "", "the corpus with the judged tools")
	flags.StringVar(&version, "version", "", "the version of the golden set")
	flags.StringVar(&source, "source", "", "the source of the judgements")
	flags.StringVar(&license, "license", "", "the licence of the judgements, an SPDX identifier; requires --source")
	flags.StringVar(&out, "out", "", "the golden set to write")
	for _, name := range []string{"qrels", "topics", "corpus", "out"} {
		cmd.MarkFlagRequired(name)
	}

	return cmd
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

// writeTrec writes to the file out, completely or not at all, or to standard output.
func writeTrec(cmd *cobra.Command, out string, write func(io.Writer) error) error {
	if out == "" {
		return write(cmd.OutOrStdout())
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
