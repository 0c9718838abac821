package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"
	"github.com/hashicorp/hcl/v2"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
	"github.com/touchstone-eval/touchstone/stages/render"
)

// A published report must be that of the last run, whatever its end. A run that executes a stage
// therefore first replaces the reports by ones that say that it has not ended, which are also
// correct if it is killed. A run that ends without a verdict replaces them by ones that say why.

// ownStage reports whether an instance runs "touchstone stage NAME".
func ownStage(in *pipeline.Instance, name string) bool {
	return len(in.Command) > 2 && in.Command[0] == toolName && in.Command[1] == "stage" && in.Command[2] == name
}

// reports lists the published directories that the stage render writes.
func (s *session) reports() []pipeline.Publish {
	return slices.DeleteFunc(slices.Clone(s.plan.Publish), func(p pipeline.Publish) bool {
		return !ownStage(s.plan.Instances[p.From.Instance], "render")
	})
}

// markUnfinished returns a receiver of events that replaces the reports when the first stage
// starts. A run of selected stages does not replace them, because it may leave out the reports.
func (s *session) markUnfinished(ctx context.Context, rf *runFlags) func(engine.Event) {
	reports := s.reports()
	if len(reports) == 0 || rf.selects() {
		return func(engine.Event) {}
	}

	var once sync.Once
	return func(e engine.Event) {
		if e.Event != engine.EventStart {
			return
		}

		once.Do(func() {
			summary := fmt.Sprintf("The run that started at %s has not ended, or it was killed.",
				s.began.UTC().Format(time.RFC3339))
			n := contracts.NewNoVerdict(contracts.EndedUnknown, -1)
			n.Summary, n.Command = summary, s.again
			n.Problems = []contracts.Reason{{Message: strings.TrimSuffix(summary, "."),
				Remedy: "wait until it ends, or run it again: the results of finished stages are cached"}}
			// If this fails, publishing at the end of the run reports the reason.
			_ = s.publishNoVerdict(ctx, reports, n)
		})
	}
}

func (s *session) publishNoVerdict(ctx context.Context, to []pipeline.Publish, n contracts.NoVerdict) error {
	files, err := render.NoVerdict(n)
	if err != nil {
		return err
	}
	for name := range files {
		files[name] = hidden.Bytes(files[name])
	}
	for _, p := range to {
		err = errors.Join(err, engine.PublishFiles(ctx, s.store, s.plan.Root, p.Path, files))
	}
	return err
}

// endWithoutVerdict publishes reports that give the reason for the end of a run, if the run was
// to publish reports. outcomes is nil if no stage was considered.
func (s *session) endWithoutVerdict(ctx context.Context, outcomes []*engine.Outcome, err error) {
	if errors.Is(err, errNeedsEngine) {
		return // another process continues the run
	}

	n := s.noVerdict(ctx, outcomes, err)
	s.ended = &n
	reports := slices.DeleteFunc(s.reports(), func(p pipeline.Publish) bool {
		if outcomes == nil {
			return false
		}

		o := outcomes[p.From.Instance]
		return o.State == engine.Off || o.State == engine.Skipped && o.Cause == ""
	})
	// The run has failed already. If the reports cannot be written either, its own error is
	// the one that matters.
	_ = s.publishNoVerdict(context.WithoutCancel(ctx), reports, n)
	for _, p := range reports {
		if engine.Published(filepath.Join(s.plan.Root, p.Path), render.NoVerdictFile) {
			s.pages = append(s.pages, filepath.Join(p.Path, reportPage))
		}
	}
}

// noVerdict describes why a run ended.
func (s *session) noVerdict(ctx context.Context, outcomes []*engine.Outcome, err error) contracts.NoVerdict {
	n := contracts.NewNoVerdict("", exitCode(ctx, err))
	n.Directory, n.Command = inRepository(s.plan.Root), s.again
	for _, o := range outcomes {
		switch o.State {
		case engine.Hit, engine.Ran:
			n.Done++
		case engine.Failed:
			n.Failed = append(n.Failed, o.Instance.String())
			reasons, log := s.failureReasons(outcomes, o)
			n.Problems = append(n.Problems, reasons...)
			if len(log) > 0 {
				n.Logs = append(n.Logs, contracts.StageLog{Stage: o.Instance.String(), Lines: log})
			}
		case engine.Canceled:
			n.Skipped++
		case engine.Skipped:
			if o.Cause != "" {
				n.Skipped++
			}
		}
	}

	n.Problems = distinctReasons(n.Problems)
	switch {
	case n.ExitCode == exitInterrupted:
		n.Kind, n.Summary = contracts.EndedBySignal, "The run was interrupted."
	case n.ExitCode == exitBadDataset:
		n.Kind, n.Summary = contracts.EndedByDataset, invalidData(n.Problems)
	case len(n.Failed) > 0:
		n.Kind, n.Summary = contracts.EndedByStage,
			fmt.Sprintf("Stage %s failed: %s", n.Failed[0], sentence(n.Problems[0].Message))
	default:
		n.Kind, n.Summary = contracts.EndedBySetup, capitalised(sentence(err.Error()))
		n.Problems = []contracts.Reason{{Message: strings.Join(strings.Fields(err.Error()), " ")}}
	}

	if len(n.Problems) == 0 {
		n.Problems = []contracts.Reason{{Message: strings.TrimSuffix(n.Summary, "."),
			Remedy: "run it again: the results of finished stages are cached"}}
	}

	return n
}

// invalidData summarises the problems of invalid datasets.
func invalidData(problems []contracts.Reason) string {
	var files []string
	for _, p := range problems {
		if p.File != "" && !slices.Contains(files, p.File) {
			files = append(files, p.File)
		}
	}
	if len(files) == 0 {
		return "A dataset is invalid."
	}
	return fmt.Sprintf("%s in %s.", english.Plural(len(problems), "problem", ""), strings.Join(files, ", "))
}

// sentence returns the first line of a text with a full stop.
func sentence(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimRight(line, ".:;") + "."
}

// capitalised returns a text that begins with a capital letter, unless it begins with the name of
// a file.
func capitalised(text string) string {
	if word, _, _ := strings.Cut(text, " "); strings.ContainsAny(strings.TrimRight(word, ".:,"), "./\\") {
		return text
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// distinctReasons leaves out repetitions, which the instances of a matrix cause.
func distinctReasons(list []contracts.Reason) []contracts.Reason {
	seen := map[contracts.Reason]bool{}
	return slices.DeleteFunc(list, func(r contracts.Reason) bool {
		r.Stage, _, _ = pipeline.CutInstance(r.Stage)
		known := seen[r]
		seen[r] = true
		return known
	})
}

// inRepository returns a directory relative to the root of its git repository, or "" for the root
// and for a directory outside a repository.
func inRepository(dir string) string {
	for up := dir; ; up = filepath.Dir(up) {
		if exists(filepath.Join(up, ".git")) {
			rel, err := filepath.Rel(up, dir)
			if err != nil || rel == "." {
				return ""
			}

			return filepath.ToSlash(rel)
		}

		if up == filepath.Dir(up) {
			return ""
		}
	}
}

// envReportCommand names the variable with the command that copies the reports to where the reader is, for a run in a
// container whose files the reader cannot see.
const envReportCommand = "TOUCHSTONE_REPORT_COMMAND"

// printPlaces prints where the reports are.
func printPlaces(w io.Writer, flags *globalFlags, paths []string) {
	if command := os.Getenv(envReportCommand); command != "" && len(paths) > 0 {
		fmt.Fprintln(w, "for the reports:", command)
		return
	}
	for _, path := range paths {
		fmt.Fprintln(w, "see", flags.beside(path))
	}
}

// printNoVerdict prints why there is no verdict and where the reports are.
func printNoVerdict(w io.Writer, flags *globalFlags, n *contracts.NoVerdict, pages []string) {
	fmt.Fprintln(w, "no verdict:", n.Summary)
	printPlaces(w, flags, pages)
}

// planError is the error of a pipeline that cannot be loaded. Its problems were printed.
type planError struct {
	diags   hcl.Diagnostics
	root    string
	publish []string
}

func (e *planError) Error() string { return e.Unwrap().Error() }

func (e *planError) Unwrap() error { return &exitError{code: exitUsage} }

// reportPaths lists the directories, relative to root, whose reports are to say that there is no
// verdict: the conventional one, if the pipeline publishes to it, and those that hold reports. A
// file with syntax errors does not say what is published, so they are looked for then.
func (e *planError) reportPaths() []string {
	paths := e.publish
	if paths == nil {
		for _, pattern := range []string{"*", "*/*"} {
			found, _ := filepath.Glob(filepath.Join(e.root, pattern, reportPage))
			for _, page := range found {
				if rel, err := filepath.Rel(e.root, filepath.Dir(page)); err == nil {
					paths = append(paths, rel)
				}
			}
		}
	}

	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return (e.publish == nil || path != "reports") && !engine.Published(filepath.Join(e.root, path), reportPage)
	})
}

// withoutPlan replaces published reports by ones that say why there is no pipeline to run, unless
// only the settings are invalid, and returns the reason and the pages. Without a plan it is
// not known which published paths hold reports, so only the conventional path and paths that
// held reports before are replaced.
func withoutPlan(ctx context.Context, flags *globalFlags, err error) (n contracts.NoVerdict, pages []string) {
	n = contracts.NewNoVerdict(contracts.EndedBySetup, exitCode(ctx, err))
	var e *planError
	if !errors.As(err, &e) {
		n.Summary = sentence(err.Error())
		n.Problems = []contracts.Reason{{Message: n.Summary}}
		return n, nil
	}

	n.Directory = inRepository(e.root)
	n.Command = flags.again(&pipeline.Plan{Sensitive: flags.varNames()}, "gate")
	for _, d := range e.diags {
		if d.Severity == hcl.DiagError {
			n.Problems = append(n.Problems, diagnosticReason(e.root, d))
		}
	}

	n.Summary = "The pipeline is invalid: " + sentence(n.Problems[0].Message)
	files, err := render.NoVerdict(n)
	if err != nil || e.root == "" || flags.onlySettingsAreInvalid() {
		return n, nil
	}

	for name := range files {
		files[name] = hidden.Bytes(files[name])
	}

	for _, path := range e.reportPaths() {
		if engine.PublishFiles(context.WithoutCancel(ctx), nil, e.root, path, files) == nil {
			pages = append(pages, filepath.Join(path, reportPage))
		}
	}

	return n, pages
}

// onlySettingsAreInvalid reports whether the pipeline is valid without the values that flags and the
// environment set. A mistyped variable is then no run, and the reports stay.
func (f *globalFlags) onlySettingsAreInvalid() bool {
	o := f.options()
	o.Vars, o.VarFiles = nil, nil
	o.Environ = slices.DeleteFunc(slices.Clone(o.Environ),
		func(v string) bool { return strings.HasPrefix(v, pipeline.VarPrefix) })
	_, diags, _ := pipeline.Load(o)
	return !diags.HasErrors()
}

// diagnosticReason converts a problem of a pipeline file, with its name relative to root.
func diagnosticReason(root string, d *hcl.Diagnostic) contracts.Reason {
	r := contracts.Reason{Message: d.Summary + ": " + d.Detail}
	if d.Subject != nil {
		r.File, r.Line, r.Column = d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column
		if abs, err := filepath.Abs(r.File); err == nil {
			if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) {
				r.File = filepath.ToSlash(rel)
			}
		}
	}
	return r
}

// varNames lists the variables that flags set.
func (f *globalFlags) varNames() []string {
	var names []string
	for _, v := range f.vars {
		name, _, _ := strings.Cut(v, "=")
		names = append(names, strings.TrimSpace(name))
	}
	return names
}
