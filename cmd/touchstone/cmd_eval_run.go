//go:build !containers

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/exchange"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// evalRunFlags are the flags of touchstone eval run.
type evalRunFlags struct {
	*evalFlags
	models     []string
	execution  evalExecution
	repeats    int
	label, tag string
	set        []string
	record     string
	require    []string
}

func newEvalRunCommand(e *evalFlags) *cobra.Command {
	f := &evalRunFlags{evalFlags: e}
	cmd := &cobra.Command{
		Use:   "run [SET...]",
		Short: "Send cases to models and print the results",
		Long: `Sends cases to models and waits for the answers. A case is a request, the tools that a model is
offered, and the calls that are expected. SET is a file of servers and cases: JSON, YAML, CSV,
or mcp-tef's test cases. eval run imports the file into the database (--db) and runs its cases.
Without SET, it runs all cases of the database. --tag limits the run to cases with this tag.

A model is given as provider/model, such as lexical/bm25, ollama/qwen3:8b, openai/gpt-4.1 or
anthropic/claude-sonnet-4-5. --api-key gives the place of the API key: env:NAME or
file:PATH. The key is not stored. A file of settings (--settings) says how models are asked:
with which key, temperature or system prompt. --model takes the block with its name.

--require fails a build: 'NAME >= NUMBER' or 'NAME <= NUMBER', where NAME is a share from 0
to 1 or a number of calls:
  accuracy            the share of right runs
  parameter_accuracy  the share of right calls whose arguments are right
  wrong_tool          the share of runs that call another tool than the expected one
  misleading          the share of wrong runs with a confidence of 0.7 or more
  extra_calls         calls beside the expected ones
  forbidden_calls     calls that a case forbids, and unexpected calls of destructive tools;
                      unless it is named, forbidden_calls <= 0 is required

` + evalExitHelp,
		Example: `  touchstone eval run --model lexical/bm25 --require 'accuracy >= 0.9' cases.yaml
  touchstone eval run --model openai/gpt-4.1 --api-key env:OPENAI_API_KEY --repeats 5
  touchstone eval run --model openai/gpt-4.1 --model anthropic/claude-sonnet-4-5 --settings models.hcl
  touchstone eval run --model ollama/qwen3:8b --record answers.json cases.yaml
  touchstone eval run --model replay/ollama/qwen3:8b --cassette answers.json cases.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	p := cmd.Flags()
	f.execution.asking(p)
	f.execution.addressed(p)
	f.execution.running(p)
	p.StringArrayVar(&f.models, "model", nil, "a model to ask, provider/model (repeatable; default $"+
		selection.EnvProvider+" and $"+selection.EnvModel+")")
	p.IntVar(&f.repeats, "repeats", 1, "the number of times to send each case to each model")
	p.StringVar(&f.label, "label", "", "a name for this batch")
	p.StringVar(&f.tag, "tag", "", "run only the cases with this tag")
	p.StringArrayVar(&f.set, "set", nil, "set the placeholder ${NAME} in SET, as NAME=VALUE (repeatable)")
	p.StringVar(&f.record, "record", "", "add the answers to this cassette file")
	p.StringArrayVar(&f.require, "require", nil,
		"exit with 1 unless the results of each model meet this, as in 'accuracy >= 0.9' (repeatable)")
	return cmd
}

func (f *evalRunFlags) run(cmd *cobra.Command, files []string) (err error) {
	required, err := readRequirements(f.require)
	if err != nil {
		return err
	}

	names, err := modelNames(f.models...)
	if err != nil {
		return err
	}

	o, err := f.execution.models(cmd.Context(), cmd.ErrOrStderr(), nil, names)
	if err != nil {
		return err
	}

	settings, err := o.resolveAll(names)
	if err != nil {
		return err
	}

	if f.record != "" {
		if o.Record, err = model.LoadCassette(f.record); errors.Is(err, os.ErrNotExist) {
			o.Record, err = model.NewCassette(), nil
		}

		if err != nil {
			return err
		}
	}

	sets := make([]exchange.Set, len(files))
	for i, path := range files {
		if sets[i], err = readSet(cmd, path, "", f.set); err != nil {
			return err
		}

		if len(sets[i].Runs) > 0 {
			return fmt.Errorf("%s: it has runs of another program: import it with `touchstone eval import`, and run "+
				"the cases without naming the file", path)
		}

		if x := sets[i].Skipped; len(x) > 0 {
			return fmt.Errorf("%s: %s: %s: correct it, or import what can be read with `touchstone eval import`", path,
				x[0].Entry, x[0].Reason)
		}
	}

	open := f.withStore
	if len(files) == 0 {
		open = f.withData
	}

	return open(func(cmd *cobra.Command, files []string, s *store.Store) error {
		caseIDs, err := f.cases(cmd, files, sets, s)
		if err != nil {
			return err
		}

		return f.send(cmd, s, caseIDs, settings, o.Options, required)
	})(cmd, files)
}

// send sends the cases to the models, and reports the results.
func (f *evalRunFlags) send(cmd *cobra.Command, s *store.Store, caseIDs []string, settings []selection.Settings,
	o runner.Options, required []requirement) error {
	ctx := cmd.Context()
	r, err := runner.New(ctx, s, f.live(), o)
	if err != nil {
		return err
	}

	defer r.Close()
	batch, ids, err := r.Start(ctx,
		runner.Batch{Label: f.label, CaseIDs: caseIDs, Settings: settings, Repeats: f.repeats})
	if err != nil {
		return err
	}

	waited := r.Wait(ctx, ids)
	r.Close()
	if o.Record != nil {
		if err := o.Record.Save(f.record); err != nil {
			return err
		}
	}

	if waited != nil {
		return waited
	}

	observations, err := s.Observations(ctx, store.RunFilter{BatchID: batch})
	if err != nil {
		return err
	}

	return f.report(cmd, batch, observations, required)
}

// cases imports the sets of the files and returns the ids of the cases to run.
func (f *evalRunFlags) cases(cmd *cobra.Command, files []string, sets []exchange.Set, s *store.Store) ([]string,
	error) {
	var ids []string
	for i, path := range files {
		imported, err := importSet(cmd, s, path, sets[i])
		if err != nil {
			return nil, err
		}

		ids = append(ids, imported.CaseIDs...)
	}

	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}

	list, err := allPages(func(p store.Page) ([]selection.Case, int, error) {
		return s.Cases(cmd.Context(), store.CaseFilter{Tag: f.tag, Page: p})
	})
	if err != nil {
		return nil, err
	}

	var chosen []string
	for _, c := range list.Items {
		if len(files) == 0 || wanted[c.ID] {
			chosen = append(chosen, c.ID)
		}
	}

	if len(chosen) == 0 && f.tag != "" {
		return nil, fmt.Errorf("no case to run has the tag %q; name another with --tag, or leave it out", f.tag)
	}

	if len(chosen) == 0 {
		return nil, errors.New("there are no cases to run: give a file of cases, or add cases with `touchstone eval " +
			"import`")
	}

	return chosen, nil
}

// evalReport is the output of eval run --json.
type evalReport struct {
	BatchID string        `json:"batch_id"`
	Summary score.Summary `json:"summary"`
	Models  []score.Group `json:"models"`
	Servers []score.Group `json:"servers"`
	Tools   []score.Group `json:"tools"`
	Tags    []score.Group `json:"tags"`
	Missed  []string      `json:"missed"`
}

func (f *evalRunFlags) report(cmd *cobra.Command, batch string, observations []score.Observation,
	required []requirement) error {
	report := evalReport{
		BatchID: batch, Summary: score.Summarize(observations), Models: score.By(observations, score.ByModel),
		Servers: score.By(observations, score.ByServer), Tags: score.By(observations, score.ByTag),
		Tools: score.By(observations, score.ByTool), Missed: []string{},
	}
	for _, g := range report.Models {
		for _, r := range required {
			if text := r.missed(g); text != "" {
				report.Missed = append(report.Missed, text)
			}
		}
	}

	err := f.print(cmd.OutOrStdout(), report, func(w io.Writer) {
		row(w, "MODEL", "RUNS", "FAILED", "ACCURACY", "WRONG TOOL", "PARAMETERS RIGHT", "CONFIDENTLY WRONG", "F1")
		for _, g := range report.Models {
			s := g.Summary
			row(w, g.Name, fmt.Sprint(s.Runs), fmt.Sprint(s.Failed), percent(s.Accuracy), percent(s.WrongTool),
				percent(s.ParameterAccuracy), percent(s.Misleading), figure(s.F1))
		}
		row(w, "")
		row(w, "batch", batch)
	})
	if err != nil {
		return err
	}

	log := cmd.ErrOrStderr()
	for _, g := range report.Models {
		if x := g.Summary; x.ExtraCalls+x.ForbiddenCalls > 0 {
			fmt.Fprintf(log, "touchstone: %s made %s beside expected ones, and %s; "+
				"only the latter change the figures\n",
				safetext.Visible(g.Name), english.Plural(x.ExtraCalls, "call", ""),
				english.Plural(x.ForbiddenCalls, "forbidden call", ""))
		}
	}

	failed := reportFailures(log, observations)
	for _, text := range report.Missed {
		fmt.Fprintln(log, "touchstone:", text)
	}

	switch {
	case failed > 0:
		return &exitError{exitStageFailed, nil}
	case len(report.Missed) > 0:
		return &exitError{exitGateFailed, nil}
	}

	return nil
}

// reportFailures writes the reasons of failed runs, each once for a model, and
// returns the number of failed runs.
func reportFailures(log io.Writer, observations []score.Observation) int {
	type reason struct{ model, text string }
	var reasons []reason
	cases := map[reason][]string{}
	failed := 0
	for _, o := range observations {
		if !o.Failed {
			continue
		}

		failed++
		r := reason{o.Model, o.Error}
		if cases[r] == nil {
			reasons = append(reasons, r)
		}

		cases[r] = append(cases[r], o.Case)
	}

	for _, r := range reasons {
		what := fmt.Sprintf("the run of case %q", safetext.Visible(cases[r][0]))
		if n := len(cases[r]); n > 1 {
			what = fmt.Sprintf("%d runs, the first of case %q,", n, safetext.Visible(cases[r][0]))
		}

		fmt.Fprintf(log, "touchstone: %s with %s failed: %s\n", what, safetext.Visible(r.model),
			safetext.Visible(r.text))
	}

	return failed
}

func importSet(cmd *cobra.Command, s *store.Store, path string, set exchange.Set) (exchange.Imported, error) {
	imported, err := exchange.Import(cmd.Context(), s, set)
	if err != nil {
		return imported, fmt.Errorf("%s: %w", path, err)
	}
	return imported, nil
}

// readSet reads a set, or a database of mcp-tef.
func readSet(cmd *cobra.Command, path, format string, values []string) (exchange.Set, error) {
	if ext := strings.ToLower(filepath.Ext(path)); format == "" &&
		(ext == ".db" || ext == ".sqlite" || ext == ".sqlite3") {
		return exchange.ReadTEF(cmd.Context(), path)
	}

	if format == "" {
		format = exchange.FormatOf(path)
	}

	data, err := readInput(cmd, path, exchange.MaxFile)
	if errors.Is(err, os.ErrNotExist) {
		return exchange.Set{}, fmt.Errorf("there is no file %s; name a file of cases in JSON, YAML or CSV", path)
	}

	if err != nil {
		return exchange.Set{}, err
	}

	templates := map[string]string{}
	for _, text := range values {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return exchange.Set{}, fmt.Errorf("--set %q is not of the form NAME=VALUE", text)
		}

		templates[name] = value
	}

	data, unused := exchange.Replace(data, templates)
	if len(unused) > 0 {
		return exchange.Set{}, fmt.Errorf("%s: there is no template ${%s}, which --set gives a value for",
			path, unused[0])
	}

	set, err := exchange.Read(data, format)
	if err != nil {
		return set, fmt.Errorf("%s: %w", path, err)
	}

	for _, note := range set.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "touchstone: %s: %s\n", safetext.Visible(path), safetext.Visible(note))
	}

	return set, nil
}
