package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/stages/gate"
)

// gateJSON is the output of gate --json. Verdict is the output that holds the verdict, or
// null if there is none. NoVerdict then gives the reasons.
type gateJSON struct {
	Passed    bool                 `json:"passed"`
	Verdict   json.RawMessage      `json:"verdict"`
	NoVerdict *contracts.NoVerdict `json:"no_verdict"`
	Run       runJSON              `json:"run"`
}

func newGateCommand(flags *globalFlags) *cobra.Command {
	rf := &runFlags{}
	quick, answerFile := false, ""
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Run the whole pipeline and report whether the gate passed",
		Long: `Measures the proxy, compares the figures with the baseline, publishes the reports, and prints
the verdict: passed or failed. A stage runs only if something that it reads changed. If nothing
changed, no stage runs. The pipeline block names the output that contains the verdict.

` + exitCodesHelp,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if quick {
				flags.vars = append(flags.vars, "quick=true")
			}

			var answer gateAnswer
			err := runGate(cmd, flags, rf, &answer)
			if answerFile != "" {
				err = errors.Join(err, answer.write(answerFile))
			}

			return err
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "measure less: one run over the queries of the split dev, "+
		"without rewritten security entries; the verdict is marked as quick")
	cmd.Flags().StringVar(&answerFile, "answer", "", "write to this file when the gate ended, and whether its "+
		"verdict may be shown again")
	_ = cmd.Flags().MarkHidden("answer")
	rf.add(cmd)
	return cmd
}

func runGate(cmd *cobra.Command, flags *globalFlags, rf *runFlags, answer *gateAnswer) error {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	s, err := openSession(cmd.Context(), flags, stderr)
	if err != nil {
		end, pages := withoutPlan(cmd.Context(), flags, err)
		if flags.json {
			return errors.Join(printJSON(stdout, gateJSON{NoVerdict: &end, Run: runJSON{Stages: []runStage{}}}), err)
		}

		if len(pages) > 0 {
			printNoVerdict(stdout, flags, &end, pages)
		}

		return err
	}

	defer s.close()
	if err := s.judgeable(flags); err != nil {
		s.endWithoutVerdict(cmd.Context(), nil, err)
		return s.showEnd(cmd, flags, nil, nil, engine.Summary{}, err)
	}

	var verdict *verdict
	outcomes, sum, err := s.run(cmd.Context(), rf, flags.json, stderr, func(outcomes []*engine.Outcome) (err error) {
		verdict, err = s.verdict(outcomes)
		return err
	})
	if err != nil {
		return s.showEnd(cmd, flags, verdict, outcomes, sum, err)
	}

	answer.Holds = s.holds()
	if flags.json {
		err = printJSON(stdout, gateJSON{Passed: verdict.Passed, Verdict: verdict.raw,
			NoVerdict: s.notJudged(outcomes, verdict), Run: s.runFacts(outcomes, sum)})
	} else {
		s.printVerdict(stdout, flags, rf, verdict, outcomes, sum)
	}

	if err == nil && !verdict.Passed {
		return &exitError{code: verdict.exitCode()}
	}

	return err
}

// printVerdict prints the verdict, the figures, where the reports are and what to do next. With
// --quiet it prints the first line of the verdict, and with --progress quiet nothing if the gate
// passed.
func (s *session) printVerdict(w io.Writer, flags *globalFlags, rf *runFlags, v *verdict, outcomes []*engine.Outcome,
	sum engine.Summary) {
	switch {
	case rf.quiet:
		fmt.Fprintln(w, v.lines()[0])
		return
	case rf.progress == "quiet" && v.Passed:
		return
	}

	v.print(w)
	if rf.progress != "quiet" {
		s.printFigures(w, outcomes, v)
	}

	if v.gate != nil && rf.progress != "quiet" {
		fmt.Fprintln(w, nextVerbs(!v.Passed && v.gate.Baseline != ""))
	}

	s.printNextSteps(w, flags, v)
	printPlaces(w, flags, s.published())

	fmt.Fprintln(w, s.summaryLine(outcomes, sum))
}

// nextVerbs names the verbs that show more of a gate, and after a failed one that which takes a
// change into the baseline.
func nextVerbs(failed bool) string {
	verbs := []string{"report open", "compare", "explain QUERY"}
	if failed {
		verbs = append(verbs, "baseline accept QUERY")
	}

	for i, verb := range verbs {
		verbs[i] = toolName + " " + verb
	}

	return "next: " + english.OxfordWordSeries(verbs, "or")
}

// judgeable returns an error if a run could not lead to a verdict.
func (s *session) judgeable(flags *globalFlags) error {
	switch {
	case s.plan.Verdict == nil && s.plan.NoVerdict != "":
		return fmt.Errorf("there is nothing to judge by: the verdict %s", s.plan.NoVerdict)
	case s.plan.Verdict == nil:
		return fmt.Errorf("%s declares no verdict; add verdict = stage.NAME.OUTPUT to its pipeline block", flags.file)
	}
	return flags.missingBaseline(s.plan)
}

// showEnd prints the end of a gate that returns an error, and returns the error. verdict is nil,
// unless only its publication failed.
func (s *session) showEnd(cmd *cobra.Command, flags *globalFlags, verdict *verdict, outcomes []*engine.Outcome,
	sum engine.Summary, err error) error {
	stdout := cmd.OutOrStdout()
	if flags.json {
		facts := gateJSON{NoVerdict: s.ended, Run: s.runFacts(outcomes, sum)}
		if verdict != nil {
			facts.Passed, facts.Verdict = verdict.Passed, verdict.raw
		}

		if err := printJSON(stdout, facts); err != nil {
			return err
		}
	} else if verdict != nil {
		verdict.print(stdout)
	}

	err = s.explainFailure(cmd.ErrOrStderr(), outcomes, err)
	// What is missing for a run is said by the error already.
	if !flags.json && s.ended != nil && (len(s.pages) > 0 || s.ended.Kind != contracts.EndedBySetup) {
		printNoVerdict(stdout, flags, s.ended, s.pages)
	}

	return err
}

// published lists what a user can open after a run: the HTML page if there is one, else the
// path itself.
func (s *session) published() []string {
	var paths []string
	for _, p := range s.plan.Publish {
		path := p.Path
		if _, err := os.Stat(filepath.Join(s.plan.Root, path, reportPage)); err == nil {
			path = filepath.Join(path, reportPage)
		}
		paths = append(paths, path)
	}
	return paths
}

// verdict is a JSON object with a boolean "passed". None is set if the object has a member
// "no_verdict" that is not null: nothing was judged. gate is set if it is the verdict of the
// stage gate.
type verdict struct {
	Passed bool
	None   bool
	raw    json.RawMessage
	gate   *contracts.Gate
}

func (s *session) verdict(outcomes []*engine.Outcome) (*verdict, error) {
	ref := s.plan.Verdict
	in := s.plan.Instances[ref.Instance]
	out, ok := outcomes[ref.Instance].Output(ref.Output)
	if !ok {
		return nil, fmt.Errorf("the verdict, output %s of %s, was not produced", ref.Output, in)
	}

	b, err := s.store.Bytes(out.Digest)
	if err != nil {
		return nil, fmt.Errorf("reading the verdict: %w", err)
	}

	if bytes.HasPrefix(b, []byte(readlimit.Mark)) {
		return nil, fmt.Errorf("the verdict, output %s of %s, starts with a byte order mark; write it as UTF-8 "+
			"without a byte order mark", ref.Output, in)
	}

	var plain struct {
		Passed    *bool `json:"passed"`
		NoVerdict any   `json:"no_verdict"`
	}
	if err := json.Unmarshal(b, &plain); err != nil || plain.Passed == nil {
		return nil, fmt.Errorf(`the verdict, output %s of %s, is not a JSON object with a boolean "passed"`, ref.Output,
			in)
	}

	none := plain.NoVerdict != nil
	v := &verdict{Passed: *plain.Passed && !none, None: none, raw: json.RawMessage(b)}
	if g, err := contracts.Decode[contracts.Gate]("verdict", b); err == nil {
		v.gate = &g
	}

	return v, nil
}

func (v *verdict) print(w io.Writer) {
	for _, line := range v.lines() {
		fmt.Fprintln(w, line)
	}
}

// lines returns the summary for standard output.
func (v *verdict) lines() []string {
	if v.gate != nil {
		return gate.Describe(*v.gate)
	}
	switch {
	case v.None:
		return []string{"no verdict"}
	case v.Passed:
		return []string{"the gate passed"}
	}
	return []string{"the gate FAILED"}
}
