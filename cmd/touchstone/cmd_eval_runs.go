//go:build !containers

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

func newEvalRunsCommand(f *evalFlags) *cobra.Command {
	var where []string
	var limit int
	var file resultsFlags
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List runs, and show or delete one",
		Long: `List runs, the newest first. --where keeps those that have a value, and all values if it
is repeated:
  batch           the id or the label of a batch
  case            the id or the name of a case
  classification  TP, FP, TN or FN
  imported        with, without or only: the runs that were imported from another program.
                  The default is with, and without if --format writes no single batch
  model           the name of a model, without its provider
  server, tool    a call that the case expects is one of this server, or of this tool
  status          pending, running, completed or failed`,
		Example: `  touchstone eval runs --where batch=nightly --where classification=FP
  touchstone eval runs --where status=failed --limit 0`,
		Args: arguments.None,
		RunE: f.withData(func(cmd *cobra.Command, _ []string, s *store.Store) error {
			if err := file.check(); err != nil {
				return err
			}

			filter, err := runFilter(where)
			if err != nil {
				return err
			}

			if file.format != "" {
				return file.write(cmd, s, "Results", filter)
			}

			list, err := firstItems(limit, func(p store.Page) ([]selection.Run, int, error) {
				filter.Page = p
				return s.Runs(cmd.Context(), filter)
			})
			if err != nil {
				return err
			}

			return f.print(cmd.OutOrStdout(), list, func(w io.Writer) { runTable(w, list.Items) })
		}),
	}
	file.flags(cmd)
	cmd.Flags().StringArrayVar(&where, "where", nil,
		"only runs with this batch, case, classification, imported, model, server, status or tool, as NAME=VALUE "+
			"(repeatable)")
	cmd.Flags().IntVar(&limit, "limit", store.DefaultPage,
		"the maximum number of runs to list, newest first; 0 lists all")
	show := &cobra.Command{
		Use:   "show ID",
		Short: "Show a run: the query, the offered tools, the chosen and expected calls, and why it is right or wrong",
		Args:  arguments.Exactly(1),
		RunE: f.withData(func(cmd *cobra.Command, args []string, s *store.Store) error {
			return f.showRun(cmd, s, args[0])
		}),
	}
	remove := &cobra.Command{
		Use:   "delete ID",
		Short: "Delete a run, with its snapshot and result",
		Args:  arguments.Exactly(1),
		RunE: f.withData(func(cmd *cobra.Command, args []string, s *store.Store) error {
			return s.DeleteRun(cmd.Context(), args[0])
		}),
	}
	cmd.AddCommand(show, remove)
	return cmd
}

func runTable(w io.Writer, runs []selection.Run) {
	row(w, "ID", "STATUS", "CLASS", "MODEL", "SELECTED", "ERROR")
	for _, r := range runs {
		status := string(r.Status)
		if r.Imported != nil {
			status += ", imported"
		}

		row(w, r.ID, status, string(r.Classification), r.Settings.Provider+"/"+r.Settings.Model, selected(r),
			r.Error)
	}
}

func selected(r selection.Run) string {
	if r.Status != selection.Completed {
		return ""
	}
	return score.Selects(r.Selected)
}

// evalStory is a run with its case, snapshot and result.
type evalStory struct {
	Run        selection.Run         `json:"run"`
	Case       selection.Case        `json:"test_case"`
	Tools      []selection.Tool      `json:"tools"`
	Calls      []store.Call          `json:"calls"`
	Evaluation *selection.Evaluation `json:"result"`
	Diff       store.RunDiff         `json:"diff"`
	// Raw is the provider's answer.
	Raw json.RawMessage `json:"raw,omitempty"`
}

func (f *evalFlags) showRun(cmd *cobra.Command, s *store.Store, id string) (err error) {
	ctx := cmd.Context()
	var story evalStory
	if story.Run, err = s.Run(ctx, id); err != nil {
		return err
	}

	if story.Case, err = s.Case(ctx, story.Run.CaseID); err != nil {
		return err
	}

	if story.Tools, err = s.Tools(ctx, id); err != nil {
		return err
	}

	if story.Calls, err = s.Calls(ctx, id); err != nil {
		return err
	}

	if story.Diff, err = s.Diff(ctx, id); err != nil {
		return err
	}

	if story.Raw, err = s.Response(ctx, id); err != nil {
		return err
	}

	e, err := s.Result(ctx, id)
	switch {
	case err == nil:
		story.Evaluation = &e
	case !errors.Is(err, store.ErrNotFound):
		return err
	}

	return f.print(cmd.OutOrStdout(), story, story.write)
}

func (s evalStory) write(w io.Writer) {
	line := func(name, text string) { fmt.Fprintf(w, "%s\t%s\n", name, safetext.Visible(text)) }
	line("query", s.Case.Query)
	line("expected", expectedText(s.Case))
	line("model", s.Run.Settings.Provider+"/"+s.Run.Settings.Model)
	var offered []string
	for _, t := range s.Tools {
		offered = append(offered, t.Server+":"+t.Name)
	}

	line("offered", strings.Join(offered, ", "))
	line("status", string(s.Run.Status))
	if from := s.Run.Imported; from != nil {
		line("imported", importedText(*from))
	}

	if s.Run.Error != "" {
		line("error", s.Run.Error)
	}

	if s.Run.Settings.SystemPrompt != "" {
		line("system prompt", "sha256 "+s.Run.Settings.SystemPromptSHA256)
	}

	if s.Run.Said != nil {
		s.writeSaid(line)
	}

	if s.Evaluation == nil {
		return
	}

	line("selected", selected(s.Run))
	switch made := s.Run.Selected; {
	case made == nil:
	case made.Malformed != "":
		line("parameters", "not a JSON object: "+made.Malformed)
	default:
		line("parameters", string(made.Parameters))
	}

	for _, call := range s.Diff.Calls {
		if call.Forbidden != "" {
			line("forbidden", score.Selects(call.Made)+", by "+forbiddenBy[call.Forbidden])
		}

		for _, p := range call.Parameters {
			writeDiff(line, p)
		}
	}

	if s.Diff.CaseChanged {
		line("note", "the case was edited after the run was created; its scores are those of the older case")
	}

	line("confidence", figure(s.Run.Confidence)+" "+string(s.Run.ConfidenceSource)+" "+
		string(s.Evaluation.ConfidenceCategory))
	line("class", string(s.Evaluation.Classification))
	line("why", s.Evaluation.Reasoning)
	for _, r := range s.Evaluation.Recommendations {
		line(r.Priority, r.Text)
	}
}

// importedText says where a run comes from, and how the other program judged it.
func importedText(from selection.Imported) string {
	text := fmt.Sprintf("from %s, where it is %s", from.From, from.ID)
	if from.Classification != "" {
		text += " and was judged " + string(from.Classification)
	}

	if from.ParameterCorrectness != nil {
		text += ", parameters " + figure(from.ParameterCorrectness)
	}

	if from.Confidence != "" {
		text += ", confidence " + from.Confidence
	}

	if from.Description != "" {
		text += ", " + from.Description
	}

	return text
}

var forbiddenBy = map[selection.ForbiddenBy]string{selection.ByCase: "the case",
	selection.ByDestructive: "its annotations, which call it destructive"}

// writeSaid writes what the model said beside its calls. The provider's answer is
// in the JSON output.
func (s evalStory) writeSaid(line func(name, text string)) {
	for _, part := range []struct{ name, text string }{
		{"text", s.Run.Said.Text}, {"refusal", s.Run.Said.Refusal}, {"reasoning", s.Run.Said.Reasoning},
		{"finish reason", s.Run.Said.FinishReason}, {"call as text", strings.Join(s.Run.Said.CallAsText, ", ")},
	} {
		if part.text != "" {
			line(part.name, selection.Clip(part.text, maxSaidLine))
		}
	}
}

// maxSaidLine bounds a text of a model in the table, in characters.
const maxSaidLine = 2000

// writeDiff writes what became of a parameter, or of the parts of its value that
// differ.
func writeDiff(line func(name, text string), p score.ParameterDiff) {
	one := func(name string, state score.ParameterState, expected, actual []byte) {
		text := string(state)
		if expected != nil {
			text += ", expected " + string(expected)
		}

		if p.Match != nil {
			b, err := json.Marshal(p.Match)
			if err != nil { // a matcher that was stored can be encoded
				panic(err)
			}

			text += ", by the rule " + string(b)
		}

		if p.JudgedBy != "" {
			text += ", judged by " + p.JudgedBy + ": " + p.Judgement
		}

		if actual != nil && state != score.Equal {
			text += ", given " + string(actual)
		}

		line("  "+name, text)
	}
	if len(p.Changes) == 0 {
		one(p.Name, p.State, p.Expected, p.Actual)
	}

	for _, c := range p.Changes {
		one(c.Path, c.State, c.Expected, c.Actual)
	}
}

func newEvalCompareCommand(f *evalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "compare FIRST SECOND",
		Short: "Compare two models or two batches on their common cases",
		Long: `Compare two sets of runs on the cases that both contain, with the exact McNemar test.
FIRST and SECOND are each provider/model, or batch:ID with the id or the label of a batch.
To compare two versions of tool descriptions, run a batch with each and compare the
batches.`,
		Args: arguments.Exactly(2),
		RunE: f.withData(func(cmd *cobra.Command, args []string, s *store.Store) error {
			var sides [2][]score.Observation
			var filters [2]store.RunFilter
			for i, name := range args {
				var err error
				if filters[i], err = sideFilter(name); err != nil {
					return err
				}

				if sides[i], err = s.Observations(cmd.Context(), filters[i]); err != nil {
					return err
				}

				if len(sides[i]) == 0 {
					return fmt.Errorf("there are no runs of %q: see `touchstone eval runs`", name)
				}
			}

			changes, err := s.ToolChanges(cmd.Context(), filters[0], filters[1])
			if err != nil {
				return err
			}

			c := evalComparison{score.Compare(sides[0], sides[1]), changes}
			return f.print(cmd.OutOrStdout(), c, func(w io.Writer) {
				row(w, "", args[0], args[1])
				row(w, "accuracy", percent(c.First.Accuracy), percent(c.Second.Accuracy))
				row(w, "wrong tool", percent(c.First.WrongTool), percent(c.Second.WrongTool))
				row(w, "parameters right", percent(c.First.ParameterAccuracy), percent(c.Second.ParameterAccuracy))
				if c.Cases == 0 {
					fmt.Fprintln(w, "\nno case has an answer on both sides, so there is nothing to compare")
				} else {
					fmt.Fprintf(w, "\n%d cases: both right %d, both wrong %d, lost %d, gained %d; McNemar p = %.4f\n",
						c.Cases, c.BothRight, c.BothWrong, len(c.Lost), len(c.Gained), c.P)
				}

				if n := c.First.Imported + c.Second.Imported; n > 0 {
					fmt.Fprintf(w, "%d and %d runs were imported from another program\n", c.First.Imported,
						c.Second.Imported)
				}

				if n := c.FirstFailed + c.SecondFailed; n > 0 {
					fmt.Fprintf(w, "%d and %d runs failed and decide nothing\n", c.FirstFailed, c.SecondFailed)
				}

				for _, x := range c.Lost {
					row(w, "lost", x.Name, x.First, x.Second)
				}

				for _, x := range c.Gained {
					row(w, "gained", x.Name, x.First, x.Second)
				}

				for _, x := range c.ToolChanges {
					writeToolChange(w, x)
				}
			})
		}),
	}
}

// evalComparison is what eval compare prints as JSON.
type evalComparison struct {
	score.Comparison
	ToolChanges []store.ToolChange `json:"tool_changes"`
}

// writeToolChange writes how the definition of a tool differs between two sides.
func writeToolChange(w io.Writer, x store.ToolChange) {
	name := safetext.Visible(x.Server + ":" + x.Tool)
	switch {
	case x.First == nil:
		fmt.Fprintf(w, "%s was offered to the second alone\n", name)
	case x.Second == nil:
		fmt.Fprintf(w, "%s was offered to the first alone\n", name)
	case x.First.Description != x.Second.Description:
		fmt.Fprintf(w, "%s has another description:\n  - %s\n  + %s\n", name, safetext.Visible(x.First.Description),
			safetext.Visible(x.Second.Description))
	default:
		fmt.Fprintf(w, "%s has another input schema\n", name)
	}
}

// batchPrefix stands before the id or the label of a batch, where a name may be of something else.
const batchPrefix = "batch:"

func sideFilter(name string) (store.RunFilter, error) {
	if id, ok := strings.CutPrefix(name, batchPrefix); ok {
		return store.RunFilter{BatchID: id}, nil
	}
	provider, m, ok := strings.Cut(name, "/")
	if !ok {
		return store.RunFilter{}, fmt.Errorf("%q is neither provider/model nor batch:ID", name)
	}
	return store.RunFilter{Provider: provider, Model: m}, nil
}
