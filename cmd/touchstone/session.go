package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/hcl/v2"
	"golang.org/x/term"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// defaultMaxSize is the size to which the cache is trimmed, at most once a day, by runs that
// execute something.
const defaultMaxSize = "10GiB"

// termGrace is how long a stage may take to end after it was asked to.
const termGrace = 3 * time.Second

// session is a loaded pipeline with its engine.
type session struct {
	plan   *pipeline.Plan
	engine *engine.Engine
	store  *cache.Store
	began  time.Time
	remote *remoteCache // nil: none
	ctx    context.Context
	stderr io.Writer
	// again is the command that runs the gate with the same settings.
	again string
	// ended describes the end of a run that has no verdict, and pages lists the
	// reports that say so.
	ended *contracts.NoVerdict
	pages []string
}

// loadPlan reads the pipeline and prints every problem in it.
func loadPlan(flags *globalFlags, stderr io.Writer) (*pipeline.Plan, error) {
	return loadPlanAnd(flags, stderr, nil)
}

// loadPlanAnd calls named once the pipeline's name and root are known. The error of an invalid
// pipeline is a *planError.
func loadPlanAnd(flags *globalFlags, stderr io.Writer, named func(name, root string)) (*pipeline.Plan, error) {
	if err := checkPipelineExists(flags); err != nil {
		return nil, err
	}

	options := flags.options()
	invalid := &planError{}
	options.Named = func(name, root string, publish []string) {
		invalid.root, invalid.publish = root, publish
		if named != nil {
			named(name, root)
		}
	}
	plan, diags, files := pipeline.Load(options)
	printDiagnostics(stderr, diags, files)
	if invalid.diags = diags; diags.HasErrors() {
		return nil, invalid
	}

	return plan, nil
}

// checkPipelineExists distinguishes a wrong directory from a wrong file.
func checkPipelineExists(flags *globalFlags) error {
	if file := pipeline.MainFileOf(flags.file); !exists(file) {
		if filepath.IsAbs(file) {
			return fmt.Errorf("%s does not exist; run %s init to create a pipeline, or name another with --file", file,
				toolName)
		}
		return fmt.Errorf("there is no %s here; run %s init to create one, or name one with --file", file, toolName)
	}
	return nil
}

// exists reports whether a path exists. It returns true if that cannot be determined.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !os.IsNotExist(err)
}

// options returns the options of the pipeline in the flags.
func (f *globalFlags) options() pipeline.Options {
	return pipeline.Options{
		File: f.file, Vars: f.vars, VarFiles: f.varFiles, Streams: f.streams, Environ: os.Environ(), Version: version,
		Builtins: builtinPipelines(), Sensitive: func(text string) { hidden.Add(text) },
	}
}

// printDiagnostics prints problems of source files with the source lines.
func printDiagnostics(stderr io.Writer, diags hcl.Diagnostics, files map[string]*hcl.File) {
	if len(diags) == 0 {
		return
	}
	width, color := 0, false
	if f, ok := terminal(stderr); ok {
		color = os.Getenv("NO_COLOR") == ""
		width, _, _ = term.GetSize(int(f.Fd()))
	}
	_ = pipeline.WriteDiagnostics(stderr, diags, files, color, uint(max(width, 0)))
}

// openStore opens the cache selected by the flags.
func openStore(flags *globalFlags) (*cache.Store, error) {
	dir := flags.cacheDir
	if dir == "" {
		var err error
		if dir, err = cache.DefaultDir(); err != nil {
			return nil, err
		}
	}

	limit := os.Getenv("TOUCHSTONE_CACHE_MAX_SIZE")
	if limit == "" {
		limit = defaultMaxSize
	}

	size, err := parseSize(limit)
	if err != nil {
		return nil, fmt.Errorf("TOUCHSTONE_CACHE_MAX_SIZE: %w", err)
	}

	options := cache.Options{MaxBytes: size}
	store, err := cache.Open(dir, options)
	if err != nil && cache.Unwritable(err) {
		// Much can be done without writing. What has to write returns an error.
		options.ReadOnly = true
		if readable, err := cache.Open(dir, options); err == nil {
			return readable, nil
		}
	}

	return store, err
}

// storeDir returns the cache directory, for files that are stored next to results.
func storeDir(flags *globalFlags) (string, error) {
	if flags.cacheDir != "" {
		return filepath.Abs(flags.cacheDir)
	}
	return cache.DefaultDir()
}

// openedStore is the cache with the indexes of a project.
type openedStore struct {
	store *cache.Store
	index *cache.StatIndex
	err   error
}

// openProject opens the cache and reads the indexes of a project.
func openProject(flags *globalFlags, project string) openedStore {
	store, err := openStore(flags)
	if err != nil {
		return openedStore{err: err}
	}
	store.IndexRecords(project)
	return openedStore{store: store, index: store.OpenStatIndex(project)}
}

// openSession loads the pipeline and opens the cache, both at the same time: in
// a run with nothing to do, planning takes about as long as reading the indexes.
func openSession(ctx context.Context, flags *globalFlags, stderr io.Writer) (*session, error) {
	began := time.Now()
	var opening chan openedStore
	plan, err := loadPlanAnd(flags, stderr, func(name, root string) {
		opening = make(chan openedStore, 1)
		go func() { opening <- openProject(flags, projectID(name, root)) }()
	})
	if err != nil {
		if opening != nil {
			if opened := <-opening; opened.store != nil {
				_ = opened.store.Close()
			}
		}

		return nil, err
	}

	opened := <-opening
	if opened.err != nil {
		return nil, opened.err
	}

	store, index := opened.store, opened.index
	dir, err := storeDir(flags)
	if err != nil {
		return nil, err
	}

	project := projectID(plan.Name, plan.Root)
	executor, named, err := flags.newExecutor(plan, dir, index)
	if err != nil {
		return nil, err
	}

	s := &session{
		plan: plan, store: store, began: began, again: flags.again(plan, "gate"), ctx: ctx, stderr: stderr,
		engine: &engine.Engine{
			Store: store, Index: index, Executor: executor,
			Tools:   named,
			Project: project, WorkDir: workDirOf(dir), Jobs: flags.executor.jobs(),
			Now: time.Now, LookupEnv: os.LookupEnv, Hidden: &hidden,
			VarFiles: flags.varFiles,
			Reload: func() *pipeline.Plan {
				again, _, _ := pipeline.Load(flags.options())
				return again
			},
		},
	}
	s.engine.HideSecrets(plan)
	if s.remote, err = s.openRemote(ctx, flags, stderr); err != nil {
		s.close()
		return nil, err
	}

	if s.remote != nil {
		s.engine.Shared = s.remote
	}

	return s, nil
}

// close waits for uploads and saves the stat index, which makes the next run faster. It ignores errors,
// because the index is only an optimisation.
func (s *session) close() {
	s.closeRemote()
	s.closeExecutor()
	_ = s.engine.Index.Save()
	_ = s.store.Close()
}

// workDirOf is the directory in which stages run, in that of the cache.
func workDirOf(store string) string { return filepath.Join(store, "work") }

// projectID identifies a pipeline in the history of the cache.
func projectID(name, root string) string {
	sum := sha256.Sum256([]byte(name + "\x00" + root))
	return hex.EncodeToString(sum[:8])
}

// printJSON prints v as indented JSON.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
