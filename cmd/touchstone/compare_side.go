//go:build !containers

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
	"github.com/touchstone-eval/touchstone/stages/render"
)

// side is one of two things to compare: an existing report, or a run of the pipeline with its
// own settings.
type side struct {
	name     string
	report   string // path of a report, or empty for a run
	vars     []string
	varFiles []string
	revision string // of --repo
}

// defaultSide is the side without its own settings.
const defaultSide = "-"

// reference is the name of the built-in proxy.
const reference = "reference"

// sideHelp documents the syntax of a side.
const sideHelp = `A and B are each one of

  PATH          a report.json, or a directory that contains one
  FILE          a file of variables, as for --var-file
  NAME=VALUE    a variable; separate several with semicolons
  WORD          the proxy with this name; reference is the built-in proxy
  @REVISION     a revision of the proxy's source in the git repository --repo
  -             the pipeline without changes

--var and --var-file apply to both sides.`

// parseSide parses a side.
func parseSide(arg string) (side, error) {
	s := side{name: arg}
	info, err := os.Stat(arg)
	switch {
	case arg == defaultSide:
		s.name = "the pipeline without changes"
	case strings.HasPrefix(arg, "@") && len(arg) > 1:
		s.revision = arg[1:]
	case err == nil && info.IsDir():
		s.report = filepath.Join(arg, "report.json")
		if _, err := os.Stat(s.report); err != nil {
			if n, err := contracts.Read[contracts.NoVerdict](filepath.Join(arg, render.NoVerdictFile)); err == nil {
				return s, fmt.Errorf("the run of %s ended without a verdict: %s Run it again", arg, n.Summary)
			}

			return s, fmt.Errorf("%s contains no report.json; name a report, a file of variables, name=value, a "+
				"proxy or @revision", arg)
		}
	case err == nil && isReport(arg):
		s.report = arg
	case err == nil:
		s.varFiles = []string{arg}
	case strings.Contains(arg, "="):
		for _, v := range strings.Split(arg, ";") {
			s.vars = append(s.vars, strings.TrimSpace(v))
		}
	case arg == reference:
		// Do not use the source that is given for the other side.
		s.vars = []string{"proxy=", "proxy_source="}
	case arg != "" && !strings.ContainsAny(arg, `/\.`):
		s.vars = []string{"proxy=" + arg}
	default:
		return s, fmt.Errorf("%q does not exist; name a report, a file of variables, name=value, a proxy or @revision",
			arg)
	}

	return s, nil
}

// isReport distinguishes a report from a JSON file of variables.
func isReport(path string) bool {
	if filepath.Ext(path) != ".json" {
		return false
	}

	b, err := contracts.ReadBytes(path)
	if err != nil {
		return false
	}

	var top map[string]json.RawMessage
	if json.Unmarshal(b, &top) != nil {
		return false
	}

	_, gate := top["gate"]
	_, aggregate := top["aggregate"]
	return gate && aggregate
}

// sideRun is the result of a side. parts is a directory with the proxy and the data, if they
// were requested and the pipeline has them. secret is the proxy's secret, or empty.
type sideRun struct {
	figures *contracts.Aggregate
	parts   string
	secret  string
}

// with returns the flags for one side, where later values win.
func (f *globalFlags) with(vars, varFiles []string) *globalFlags {
	own := *f
	own.vars = append(append([]string(nil), f.vars...), vars...)
	own.varFiles = append(append([]string(nil), f.varFiles...), varFiles...)
	return &own
}

// sideOptions are the options of runSide.
type sideOptions struct {
	// parts is the directory for the proxy and the data, or empty.
	parts string
	// source is the directory of a revision, or empty. Failures caused by the
	// revision are reported as sourceError.
	source string
	// heading is a line above the progress of the run, or empty. A pipeline that
	// cannot be run has none.
	heading string
}

// sourceError is the failure of a stage that depends on the source of a revision. Its message
// is the end of the stage's output.
type sourceError struct {
	stage *pipeline.Instance
	said  string
	err   error
}

func (e *sourceError) Error() string {
	return fmt.Sprintf("%s: %s", e.stage, cmp.Or(e.said, e.err.Error()))
}

func (e *sourceError) Unwrap() error { return e.err }

// runSide brings the pipeline up to date as far as the stage that contains the figures, and
// reads them. It evaluates no verdict, so no baseline is needed, and publishes nothing, so
// the reports in the tree stay those of the gate.
func runSide(ctx context.Context, flags *globalFlags, rf runFlags, o sideOptions, stderr io.Writer) (*sideRun, error) {
	s, err := openSession(ctx, flags, stderr)
	if err != nil {
		return nil, err
	}

	defer s.close()
	if err := s.hasFigures(); err != nil {
		return nil, err
	}

	if o.heading != "" {
		fmt.Fprintln(stderr, o.heading)
	}

	rf.selection = engine.Selection{Until: []string{aggregateStage}}
	s.plan.Publish = nil
	run := &sideRun{}
	outcomes, _, err := s.run(ctx, &rf, flags.json, stderr, func(outcomes []*engine.Outcome) error {
		figures, err := s.aggregate(outcomes)
		if run.figures = &figures; err != nil || o.parts == "" {
			return err
		}

		if run.parts, err = s.parts(outcomes, o.parts); err == nil && run.parts != "" {
			run.secret, err = s.proxySecret()
		}

		return err
	})
	var failed *engine.StageError
	if errors.As(err, &failed) && ctx.Err() == nil && o.source != "" && s.dependsOn(failed.Outcome.Instance, o.source) {
		var said bytes.Buffer
		_ = s.explainFailure(&said, outcomes, err)
		return nil, &sourceError{failed.Outcome.Instance, lastLogLine(said.String()), err}
	}

	if err != nil {
		return nil, s.explainFailure(stderr, outcomes, err)
	}

	return run, nil
}

// lastLogLine returns the last line with text.
func lastLogLine(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	_, text, _ := strings.Cut(lines[len(lines)-1], " | ")
	return strings.TrimSpace(text)
}

// dependsOn reports whether an instance depends on files in a directory, directly or
// indirectly.
func (s *session) dependsOn(in *pipeline.Instance, dir string) bool {
	for _, input := range in.Inputs {
		for _, f := range input.Files {
			if rel, err := filepath.Rel(dir, f.Source); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}

	for _, u := range in.Upstream {
		if s.dependsOn(s.plan.Instances[u], dir) {
			return true
		}
	}

	return false
}

// Names of the parts in the directory of a side.
const (
	partProxy  = "proxy"
	partCorpus = "corpus.json"
	partGolden = "golden.json"
)

// parts writes the proxy and its data to dir. It returns "" for a pipeline that has no stages
// with these names.
func (s *session) parts(outcomes []*engine.Outcome, dir string) (string, error) {
	wanted := []struct{ stage, output, to string }{
		{"build-proxy", "proxy", partProxy}, {"validate-datasets", "corpus", partCorpus},
		{"validate-datasets", "golden", partGolden},
	}
	var copies []engine.Copy
	for _, w := range wanted {
		found := false
		for _, o := range outcomes {
			out, ok := o.Output(w.output)
			if o.Instance.Stage != w.stage || !ok {
				continue
			}

			found = true
			copies = append(copies, engine.Copy{Output: out, Path: w.to})
		}

		if !found {
			return "", nil
		}
	}

	return dir, s.engine.CopyOutputs(copies, dir)
}

// proxySecret returns the secret that the pipeline passes to its proxy, or "".
func (s *session) proxySecret() (string, error) {
	for _, in := range s.plan.Instances {
		for _, secret := range in.Secrets {
			if in.Stage == "score-retrieval" && secret.Name == "PROXY_SECRET" {
				return s.engine.Secret(s.plan.Root, secret)
			}
		}
	}
	return "", nil
}

// readReport reads the report of a side.
func readReport(path string) (*sideRun, error) {
	r, err := contracts.ReadReport(path)
	if err != nil {
		return nil, err
	}

	return &sideRun{figures: &r.Aggregate}, nil
}

// writeWhole writes text to a file, or to w if file is empty.
func writeWhole(file string, w io.Writer, text []byte) error {
	if file == "" {
		_, err := io.Copy(w, bytes.NewReader(text))
		return err
	}
	if err := atomicfile.WriteFile(file, text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w; choose another file with -o", file, err)
	}
	return nil
}
