//go:build !containers

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/data/judging"
	"github.com/touchstone-eval/touchstone/internal/data/label"
)

// labelFlags are those of touchstone data label.
type labelFlags struct {
	corpus, judge, out, listen string
	judges                     []string // the files of judges before this one: none, one or two
	share                      float64
}

func newLabelCommand() *cobra.Command {
	var f labelFlags
	cmd := &cobra.Command{
		Use:   "label POOL [LABELS [LABELS]] --corpus FILE --judge NAME -o FILE",
		Short: "Serve a local page on which a person labels the tools of a pool",
		Long: `Serves a page that shows each query of a pool with its tools side by side, and saves a grade for
each tool: 2 the right tool, 1 acceptable, 0 not relevant. The page works with the keyboard alone: 0, 1 and 2
grade, the arrows choose a tool, n and p the query, u undoes.

Each label is on the disk before the page goes on, in a journal beside the output
file. Start the command again with the same files to continue, also after a crash. The
labels are exported to the output file with e, and when the command ends.

LABELS is the output file of another judge, or a golden set. With one, the page shows the pairs
that this judge labelled, without the grades; "data agree" then compares the two judges. With
two, it shows the pairs on which these judges disagree, with the grades of both.`,
		Example: `  touchstone data label pool.json --corpus corpus.json --judge "A. Person" -o first.json
  touchstone data label pool.json first.json --corpus corpus.json --judge "B. Person" --share 0.25 -o second.json
  touchstone data label pool.json first.json second.json --corpus corpus.json --judge "both" -o settled.json`,
		Args: arguments.Between(1, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.judges = args[1:]
			return f.run(cmd, args[0])
		},
	}
	p := cmd.Flags()
	p.StringVar(&f.corpus, "corpus", "", "the corpus of the pool")
	p.StringVar(&f.judge, "judge", "", "the reviewer's name in the output file")
	outputVar(p, &f.out, "file", "the file to export the labels to; the journal is beside it")
	p.Float64Var(&f.share, "share", 1, "with one LABELS: the share of the queries to label")
	p.StringVar(&f.listen, "listen", "127.0.0.1:8322",
		"the address to listen on, of this machine alone; port 0 selects a free port")
	for _, name := range []string{"corpus", "judge", "output"} {
		cmd.MarkFlagRequired(name)
	}

	return cmd
}

func (f *labelFlags) run(cmd *cobra.Command, file string) (err error) {
	pool, err := contracts.Read[contracts.Pool](file)
	if err != nil {
		return err
	}

	corpus, err := contracts.Read[contracts.Corpus](f.corpus)
	if err != nil {
		return ofFlag("corpus", err)
	}

	pool, given, err := f.part(pool)
	if err != nil {
		return err
	}

	if err := f.checkOutput(); err != nil {
		return err
	}

	l, err := label.Listen(f.listen)
	if err != nil {
		return err
	}

	defer l.Close()
	session, err := label.Open(label.Options{Pool: pool, Corpus: corpus, Judge: f.judge, Out: f.out, Given: given})
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, session.Close()) }()
	progress := session.Progress()
	fmt.Fprintln(cmd.OutOrStdout(), pageURL(l.Addr()))
	fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d pairs are labelled; end with Ctrl-C\n", progress.Done, progress.Pairs)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: label.Handler(session)}
	stop := context.AfterFunc(cmd.Context(), func() {
		// A judgement that is being saved is answered.
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx)
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}

	return nil
}

// part returns the part of the pool to judge, and the grades to show there.
func (f *labelFlags) part(pool contracts.Pool) (contracts.Pool, map[string]map[contracts.ToolID][]label.Given, error) {
	switch {
	case !(f.share > 0 && f.share <= 1):
		return pool, nil, fmt.Errorf("--share %g is out of range: give a share above 0, at most 1", f.share)
	case f.share != 1 && len(f.judges) != 1:
		return pool, nil, errors.New("--share needs the labels of one other judge")
	case len(f.judges) == 2:
		return f.disputed(pool)
	case len(f.judges) == 0:
		return pool, nil, nil
	}

	first, err := readJudge(f.judges[0], pool)
	if err != nil {
		return pool, nil, err
	}

	pool, err = label.Second(pool, first.Labels, f.share)
	return pool, nil, err
}

// disputed returns the part of the pool on which two judges disagree.
func (f *labelFlags) disputed(pool contracts.Pool) (contracts.Pool, map[string]map[contracts.ToolID][]label.Given,
	error) {
	var judges [2]label.Judged
	for i, file := range f.judges {
		judge, err := readJudge(file, pool)
		if err != nil {
			return pool, nil, err
		}

		judges[i] = label.Judged{Name: judge.Name, Labels: judge.Labels}
	}

	return label.Disputed(pool, judges[0], judges[1])
}

// readJudge reads the judgements of a judge on tools of the pool's corpus.
func readJudge(file string, pool contracts.Pool) (judging.Judge, error) {
	data, err := contracts.ReadBytes(file)
	if err != nil {
		return judging.Judge{}, err
	}

	judge, err := judging.Read(file, data)
	if err != nil {
		return judge, err
	}

	if judge.CorpusVersion != pool.CorpusVersion {
		return judge, fmt.Errorf("%s judged tools of corpus %q, but the pool is over corpus %q; give judgements of "+
			"this pool", file, judge.CorpusVersion, pool.CorpusVersion)
	}

	return judge, nil
}

// checkOutput refuses to overwrite a file that is no export of these judgements.
func (f *labelFlags) checkOutput() error {
	if _, err := os.Lstat(f.out); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Lstat(f.out + ".journal"); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists, and there is no journal %s.journal to continue; choose another name", f.out,
			f.out)
	}
	return nil
}
