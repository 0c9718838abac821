package results

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

// column is a column of the CSV file.
type column struct {
	name string
	cell func(score.Observation) string
}

var columns = []column{
	{"run_id", func(o score.Observation) string { return o.RunID }},
	{"batch_id", func(o score.Observation) string { return o.BatchID }},
	{"test_case_id", func(o score.Observation) string { return o.CaseID }},
	{"test_case", func(o score.Observation) string { return o.Case }},
	{"tags", func(o score.Observation) string { return strings.Join(o.Tags, ";") }},
	{"model", func(o score.Observation) string { return o.Model }},
	{"repeat", func(o score.Observation) string { return strconv.Itoa(o.Repeat) }},
	{"verdict", verdict},
	{"classification", func(o score.Observation) string { return string(o.Classification) }},
	{"expected", expected},
	{"chosen", func(o score.Observation) string { return ofEnded(o, o.Selects) }},
	{"parameter_completeness", func(o score.Observation) string { return figure(o.Completeness) }},
	{"parameter_correctness", func(o score.Observation) string { return figure(o.Correctness) }},
	{"parameter_type_conformance", func(o score.Observation) string { return figure(o.Conformance) }},
	{"hallucinated_parameters", func(o score.Observation) string { return ofEnded(o, strconv.Itoa(o.Hallucinated)) }},
	{"extra_calls", func(o score.Observation) string { return ofEnded(o, strconv.Itoa(o.Extra)) }},
	{"forbidden_calls", func(o score.Observation) string { return ofEnded(o, strconv.Itoa(o.Forbidden)) }},
	{"confidence_score", func(o score.Observation) string { return figure(o.Confidence) }},
	{"confidence_source", func(o score.Observation) string { return string(o.Source) }},
	{"confidence_category", func(o score.Observation) string { return string(o.Category) }},
	{"execution_time_ms", func(o score.Observation) string { return strconv.FormatInt(o.DurationMS, 10) }},
	{"input_tokens", func(o score.Observation) string { return strconv.Itoa(o.InputTokens) }},
	{"output_tokens", func(o score.Observation) string { return strconv.Itoa(o.OutputTokens) }},
	{"cost_usd", func(o score.Observation) string { return figure(o.CostUSD) }},
	{"reasoning", func(o score.Observation) string { return o.Reasoning }},
	{"error_message", func(o score.Observation) string { return o.Error }},
	{"imported_from", func(o score.Observation) string { return o.ImportedFrom }},
}

// answerColumns are the columns after those, for what the model said.
var answerColumns = []struct {
	name string
	cell func(selection.SaidRaw) string
}{
	{"answer_text", func(a selection.SaidRaw) string { return a.Text }},
	{"answer_refusal", func(a selection.SaidRaw) string { return a.Refusal }},
	{"answer_reasoning", func(a selection.SaidRaw) string { return a.Reasoning }},
	{"finish_reason", func(a selection.SaidRaw) string { return a.FinishReason }},
	{"call_as_text", func(a selection.SaidRaw) string { return strings.Join(a.CallAsText, ";") }},
	{"raw_answer", func(a selection.SaidRaw) string { return a.Raw }},
}

// ofEnded is a cell that a failed run does not have.
func ofEnded(o score.Observation, text string) string {
	if o.Failed {
		return ""
	}
	return text
}

func figure(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// writeCSV writes a line for each run, after the names of the columns.
func writeCSV(w io.Writer, r Results) error {
	out := csv.NewWriter(w)
	var line []string
	for _, c := range columns {
		line = append(line, c.name)
	}

	for _, c := range answerColumns {
		line = append(line, c.name)
	}

	if err := out.Write(line); err != nil {
		return err
	}

	for _, o := range r.Runs {
		line = line[:0]
		for _, c := range columns {
			line = append(line, plain(c.cell(o)))
		}

		for _, c := range answerColumns {
			line = append(line, plain(c.cell(r.Answers[o.RunID])))
		}

		if err := out.Write(line); err != nil {
			return err
		}
	}

	out.Flush()
	return out.Error()
}

// plain keeps spreadsheets from reading a text as a formula. Names of tools come
// from servers, and errors from providers.
func plain(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return cell
	}
	return "'" + cell
}
