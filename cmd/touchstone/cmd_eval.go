//go:build !containers

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// defaultEvalDB is the default database of servers, cases and runs.
const defaultEvalDB = ".touchstone/eval.db"

// evalFlags are the flags of all verbs of touchstone eval.
type evalFlags struct {
	global *globalFlags
	db     string
	start  bool
}

const evalLong = `Evaluate tool selection: does a model choose the right tool for a query, and fill
in its parameters? A case is a query, the servers whose tools are offered, and the
expected calls. A run sends one case to one model.

Servers, cases and runs are stored in a SQLite database, --db. No API key is
needed for these providers: lexical is a baseline without a model, replay uses
recorded answers, and ollama, vllm and llamacpp are models on this machine.

`

const evalExitHelp = `Exit codes:
  0    success; of eval run: all runs were completed, and all limits were met
  1    a limit of eval run was not met
  2    usage error, or an input that cannot be read
  3    a run failed
  130  interrupted`

func newEvalCommand(global *globalFlags) *cobra.Command {
	f := &evalFlags{global: global}
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Evaluate which tools a model selects: cases, runs, comparisons",
		Long:  evalLong + evalExitHelp,
		Args:  arguments.None,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	run, similar, quality, improve := newEvalRunCommand(f), newEvalSimilarCommand(f), newEvalQualityCommand(f),
		newEvalImproveCommand(f)
	retry, cancel := newEvalRetryCommand(f), newEvalCancelCommand(f)
	verbs := []*cobra.Command{
		run, similar, quality, retry, improve, newEvalBatchesCommand(f),
		newEvalServersCommand(f), newEvalCasesCommand(f), newEvalRunsCommand(f), newEvalCompareCommand(f),
		cancel, newEvalAdviseCommand(f), newEvalImportCommand(f),
	}
	for _, verb := range verbs {
		usage := "the database"
		if verb == retry || verb == cancel {
			usage = dbOrService
		}

		verb.PersistentFlags().StringVar(&f.db, "db", defaultEvalDB, usage)
	}

	for _, verb := range []*cobra.Command{run, similar, quality, retry, improve} {
		f.addStart(verb)
	}

	cmd.AddCommand(append(verbs, newServeCommand(), newMCPCommand())...)
	return cmd
}

// addStart adds the flag of verbs that ask servers for their tools.
func (f *evalFlags) addStart(verb *cobra.Command) {
	verb.Flags().BoolVar(&f.start, "start", false, "start the programs of stdio servers; they run with your rights")
}

// evalVerb is a verb that uses the database.
type evalVerb func(*cobra.Command, []string, *store.Store) error

// withStore opens the database for a verb that writes to it, and creates it if there is none.
func (f *evalFlags) withStore(do evalVerb) func(*cobra.Command, []string) error {
	return opened(func(ctx context.Context) (*store.Store, error) { return createDB(ctx, f.db) }, do)
}

// withData opens the database for a verb that can do nothing without data.
func (f *evalFlags) withData(do evalVerb) func(*cobra.Command, []string) error {
	return opened(f.existing, do)
}

// kindless is an error without the word for its kind.
type kindless struct {
	error
	text string
}

func (e *kindless) Error() string { return e.text }

func (e *kindless) Unwrap() error { return e.error }

// withoutKind returns an error without the word for its kind, which is for programs.
func withoutKind(err error) error {
	for _, kind := range []error{store.ErrNotFound, store.ErrConflict, store.ErrInvalid} {
		if errors.Is(err, kind) {
			return &kindless{err, strings.Replace(err.Error(), kind.Error()+": ", "", 1)}
		}
	}
	return err
}

func opened(open func(context.Context) (*store.Store, error), do evalVerb) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		s, err := open(cmd.Context())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		return withoutKind(do(cmd, args, s))
	}
}

// createDB opens a database, and creates it if there is none. It only creates the directory of the
// default.
func createDB(ctx context.Context, path string) (*store.Store, error) {
	if isService(path) {
		return nil, needsFile(path)
	}

	if path == defaultEvalDB {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("create the directory of the database: %w; choose another place with --db", err)
		}
	}
	return store.Open(ctx, path)
}

// needsFile is the error of a verb that gets the address of a service as --db.
func needsFile(address string) error {
	return fmt.Errorf("--db %s is an address, and this verb needs the file of the database: eval retry and eval "+
		"cancel ask a service", address)
}

// existing opens the database, and returns an error if there is none.
func (f *evalFlags) existing(ctx context.Context) (*store.Store, error) {
	if isService(f.db) {
		return nil, needsFile(f.db)
	}

	if _, err := os.Stat(f.db); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no database %s: name one with --db, or create it with %s eval import FILE "+
			"or %s eval run FILE", f.db, toolName, toolName)
	}
	return store.Open(ctx, f.db)
}

func (f *evalFlags) live() runner.Live {
	return runner.Live{StartPrograms: f.start, CheckPrograms: runner.SlowStart}
}

// print writes v as JSON if --json is set, or else calls table with the writer of a table.
func (f *evalFlags) print(w io.Writer, v any, table func(io.Writer)) error {
	if f.global.json {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	table(t)
	return t.Flush()
}

// evalPage is a list as JSON.
type evalPage[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

// allPages reads every page of a list.
func allPages[T any](list func(store.Page) ([]T, int, error)) (evalPage[T], error) {
	return firstItems(0, list)
}

// firstItems reads the first items of a list, or all if limit is 0.
func firstItems[T any](limit int, list func(store.Page) ([]T, int, error)) (evalPage[T], error) {
	result := evalPage[T]{Items: []T{}}
	if limit < 0 {
		return result, fmt.Errorf("--limit is %d: give a number of items, or 0 for all", limit)
	}

	for {
		page := store.Page{Limit: store.MaxPage, Offset: len(result.Items)}
		if limit > 0 {
			page.Limit = min(page.Limit, limit-len(result.Items))
		}

		items, total, err := list(page)
		if err != nil {
			return result, err
		}

		result.Items, result.Total = append(result.Items, items...), total
		if len(items) == 0 || len(result.Items) >= total || len(result.Items) == limit {
			return result, nil
		}
	}
}

// row writes a row of a table. The texts may be from untrusted sources.
func row(w io.Writer, cells ...string) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(w, "\t")
		}
		fmt.Fprint(w, safetext.Visible(safetext.Clip(c, 80)))
	}
	fmt.Fprintln(w)
}

func percent(r score.Rate) string {
	if r.Value == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%% [%.1f, %.1f] of %d", 100**r.Value, 100**r.Low, 100**r.High, r.Of)
}

func figure(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}

// readInput reads a file, or standard input if the path is "-".
func readInput(cmd *cobra.Command, path string, limit int64) ([]byte, error) {
	if path == "-" {
		return readlimit.All(cmd.Context(), cmd.InOrStdin(), input.Stdin, limit)
	}
	return readlimit.File(cmd.Context(), path, limit)
}
