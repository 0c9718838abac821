package advice

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

// ToolQuality rates the parts of a tool that a model reads. Each figure is 0 to
// 10. The reasons explain what was subtracted.
type ToolQuality struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Clarity: the description exists, begins with a word, states when to use
	// the tool, and is not shared with another tool.
	Clarity float64 `json:"clarity"`
	// Completeness: the description says more than the name, the parameters are
	// described, and so is the result.
	Completeness float64 `json:"completeness"`
	// Conciseness: neither the description nor those of parameters are long,
	// and no sentence is repeated.
	Conciseness float64 `json:"conciseness"`
	// SchemaCoverage: the share of parameters that have a type and a description.
	SchemaCoverage float64  `json:"schema_coverage"`
	Overall        float64  `json:"overall"` // the mean
	Reasons        []string `json:"reasons"`
}

// ServerQuality is the report on a server: the means over its tools.
type ServerQuality struct {
	Server         string        `json:"server"`
	Clarity        *float64      `json:"clarity"`
	Completeness   *float64      `json:"completeness"`
	Conciseness    *float64      `json:"conciseness"`
	SchemaCoverage *float64      `json:"schema_coverage"`
	Overall        *float64      `json:"overall"`
	Tools          []ToolQuality `json:"tools"`
}

// Quality rates the tools of one server. Without tools its figures are nil.
func Quality(server string, tools []selection.Tool) ServerQuality {
	q := ServerQuality{Server: server, Tools: []ToolQuality{}}
	for _, t := range tools {
		q.Tools = append(q.Tools, rate(t, tools))
	}

	mean := func(of func(ToolQuality) float64) *float64 {
		if len(q.Tools) == 0 {
			return nil
		}

		sum := 0.0
		for _, t := range q.Tools {
			sum += of(t)
		}

		v := sum / float64(len(q.Tools))
		return &v
	}
	q.Clarity = mean(func(t ToolQuality) float64 { return t.Clarity })
	q.Completeness = mean(func(t ToolQuality) float64 { return t.Completeness })
	q.Conciseness = mean(func(t ToolQuality) float64 { return t.Conciseness })
	q.SchemaCoverage = mean(func(t ToolQuality) float64 { return t.SchemaCoverage })
	q.Overall = mean(func(t ToolQuality) float64 { return t.Overall })
	return q
}

// Lengths of descriptions, in characters.
const (
	shortDescription = 20
	longDescription  = 1000
	longParameter    = 300
)

func rate(t selection.Tool, all []selection.Tool) ToolQuality {
	q := ToolQuality{Server: t.Server, Tool: t.Name, Reasons: []string{}}
	q.clarity(t, all)
	parameters := parametersOf(t.InputSchema)
	q.completeness(t, parameters)
	q.conciseness(t, parameters)
	q.coverage(t, parameters)
	q.Overall = (q.Clarity + q.Completeness + q.Conciseness + q.SchemaCoverage) / 4
	return q
}

// less subtracts points from a figure, down to 0.
func (q *ToolQuality) less(figure *float64, points float64, format string, args ...any) {
	*figure = math.Max(0, *figure-points)
	q.Reasons = append(q.Reasons, fmt.Sprintf(format, args...))
}

func (q *ToolQuality) clarity(t selection.Tool, all []selection.Tool) {
	q.Clarity = 10
	text := strings.TrimSpace(t.Description)
	if text == "" {
		q.less(&q.Clarity, 10, "it has no description")
		return
	}

	if first, _ := utf8.DecodeRuneInString(text); !unicode.IsLetter(first) && !unicode.IsDigit(first) {
		q.less(&q.Clarity, 2, "its description does not begin with a word")
	}

	folded := strings.ToLower(text)
	if !containsAny(folded, "when ", "if ", "use this", "use it", "for ", "to ", "given ") {
		q.less(&q.Clarity, 2, "its description does not state when to use it")
	}

	if containsAny(folded, "todo", "tbd", "fixme", "lorem ipsum", "description here") {
		q.less(&q.Clarity, 4, "its description is a placeholder")
	}

	for _, other := range all {
		if (other.Server != t.Server || other.Name != t.Name) &&
			strings.EqualFold(strings.TrimSpace(other.Description), text) {
			q.less(&q.Clarity, 5, "%s has the same description", other.Name)
			break
		}
	}
}

func containsAny(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

func (q *ToolQuality) completeness(t selection.Tool, parameters []parameter) {
	q.Completeness = 10
	text := strings.TrimSpace(t.Description)
	_, more := common(keywords(text), stems(keywords(t.Name)))
	switch {
	case text == "":
		q.less(&q.Completeness, 6, "its description does not state what it does")
	case len(more) == 0:
		q.less(&q.Completeness, 5, "its description says no more than its name")
	case utf8.RuneCountInString(text) < shortDescription:
		q.less(&q.Completeness, 3, "its description has fewer than %d characters", shortDescription)
	}

	var missing []string
	for _, p := range parameters {
		if strings.TrimSpace(p.description) == "" {
			missing = append(missing, p.name)
		}
	}

	if len(missing) > 0 {
		q.less(&q.Completeness, 3*float64(len(missing))/float64(len(parameters)),
			"parameters without a description: %s", strings.Join(missing, ", "))
	}

	if t.OutputSchema == nil && !containsAny(strings.ToLower(text), "return", "result", "list", "output", "respon") {
		q.less(&q.Completeness, 1, "its description does not state what it returns")
	}
}

func (q *ToolQuality) conciseness(t selection.Tool, parameters []parameter) {
	q.Conciseness = 10
	if n := utf8.RuneCountInString(t.Description); n > longDescription {
		q.less(&q.Conciseness, math.Min(8, 2*float64(n)/longDescription),
			"its description has %d characters, more than %d", n, longDescription)
	}

	for _, p := range parameters {
		if n := utf8.RuneCountInString(p.description); n > longParameter {
			q.less(&q.Conciseness, 1, "the description of parameter %s has %d characters, more than %d", p.name, n,
				longParameter)
		}
	}

	seen := map[string]bool{}
	for _, sentence := range strings.FieldsFunc(strings.ToLower(t.Description),
		func(r rune) bool { return strings.ContainsRune(".!?\n", r) }) {
		sentence = strings.Join(strings.Fields(sentence), " ")
		if sentence != "" && seen[sentence] {
			q.less(&q.Conciseness, 2, "its description repeats: %s", clip(sentence, 80))
		}

		seen[sentence] = true
	}
}

func (q *ToolQuality) coverage(t selection.Tool, parameters []parameter) {
	q.SchemaCoverage = 10
	if _, err := score.CompileSchema(t.InputSchema); err != nil {
		q.less(&q.SchemaCoverage, 10, "its input schema cannot be used: %s", err)
		return
	}

	if len(parameters) == 0 {
		return
	}

	points := 0
	var untyped []string
	for _, p := range parameters {
		if p.typed {
			points++
		} else {
			untyped = append(untyped, p.name)
		}

		if strings.TrimSpace(p.description) != "" {
			points++
		}
	}

	q.SchemaCoverage = 10 * float64(points) / float64(2*len(parameters))
	if len(untyped) > 0 {
		q.Reasons = append(q.Reasons, "parameters without a type: "+strings.Join(untyped, ", "))
	}
}
