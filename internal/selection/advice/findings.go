package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

// Kind is what a finding is about.
type Kind string

const (
	Undescribed           Kind = "undescribed"            // the tool has no description
	SharedDescription     Kind = "shared_description"     // another tool has the same one
	NoWhenToUse           Kind = "no_when_to_use"         // the description does not say when to use the tool
	SameName              Kind = "same_name"              // a tool of another server has the same name
	SameVerbAndObject     Kind = "same_verb_and_object"   // a name of the same words
	UndescribedParameters Kind = "undescribed_parameters" // parameters without a description
	UntypedParameters     Kind = "untyped_parameters"     // parameters without a type
	UnusableSchema        Kind = "unusable_schema"        // the input schema is not a JSON Schema
)

// Finding is one fact about a tool that can keep a model from choosing it, or from
// filling in its parameters.
type Finding struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	// Evidence names the parameters or the other tools, as server:tool.
	Evidence []string `json:"evidence,omitempty"`
}

// ToolFindings are the findings of one tool.
type ToolFindings struct {
	Server   string    `json:"server"`
	Tool     string    `json:"tool"`
	Findings []Finding `json:"findings"`
	// Wrong names the cases with completed runs that went wrong with this tool: it
	// was expected, or it was called instead of another one. The caller fills it in.
	Wrong []string `json:"wrong_cases"`
}

// Check examines each of the tools, in their order. all are the tools that it is
// offered beside.
func Check(tools, all []selection.Tool) []ToolFindings {
	checked := make([]ToolFindings, len(tools))
	for i, t := range tools {
		checked[i] = ToolFindings{Server: t.Server, Tool: t.Name, Findings: check(t, all), Wrong: []string{}}
	}
	return checked
}

// whenToUse matches what a description says of the situations that a tool is for.
var whenToUse = lazyregexp.New(`(?i)\b(when|whenever|if|unless|instead of|rather than|useful|before|after|` +
	`use (this|it|for|to|the)|call (this|it)|given|for (a|an|the|any|each|all|your)\b)`)

func check(t selection.Tool, all []selection.Tool) []Finding {
	found := []Finding{}
	add := func(kind Kind, evidence []string, format string, args ...any) {
		found = append(found, Finding{kind, fmt.Sprintf(format, args...), evidence})
	}
	text := strings.TrimSpace(t.Description)
	switch {
	case text == "":
		add(Undescribed, nil, "it has no description")
	case !whenToUse().MatchString(text):
		add(NoWhenToUse, nil, "its description does not say when to use it")
	}

	var shared, named, alike []string
	for _, other := range all {
		if other.Server == t.Server && other.Name == t.Name {
			continue
		}

		id := other.Server + ":" + other.Name
		if text != "" && strings.EqualFold(strings.TrimSpace(other.Description), text) {
			shared = append(shared, id)
		}

		switch {
		case other.Name == t.Name:
			named = append(named, id)
		case slices.Equal(nameWords(other.Name), nameWords(t.Name)):
			alike = append(alike, id)
		}
	}

	for _, group := range []struct {
		kind Kind
		ids  []string
		text string
	}{
		{SharedDescription, shared, "its description is also that of %s"}, {SameName, named, "%s has the same name"},
		{SameVerbAndObject, alike, "%s has a name of the same words"},
	} {
		if len(group.ids) > 0 {
			add(group.kind, group.ids, group.text, strings.Join(group.ids, ", "))
		}
	}

	var undescribed, untyped []string
	for _, p := range parametersOf(t.InputSchema) {
		if strings.TrimSpace(p.description) == "" {
			undescribed = append(undescribed, p.name)
		}
		if !p.typed {
			untyped = append(untyped, p.name)
		}
	}

	if len(undescribed) > 0 {
		add(UndescribedParameters, undescribed, "parameters without a description: %s", strings.Join(undescribed, ", "))
	}

	if len(untyped) > 0 {
		add(UntypedParameters, untyped, "parameters without a type: %s", strings.Join(untyped, ", "))
	}

	if len(t.InputSchema) > 0 {
		if _, err := score.CompileSchema(t.InputSchema); err != nil {
			add(UnusableSchema, nil, "its input schema cannot be used: %s", err)
		}
	}

	return found
}

// nameWords are the words of a tool's name without their plural, sorted.
func nameWords(name string) []string {
	words := tokenize.Words(name)
	for i, w := range words {
		if len(w) > 3 && !strings.HasSuffix(w, "ss") {
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// SetWrong names the cases that went wrong with each tool in the observed runs.
func SetWrong(checked []ToolFindings, observations []score.Observation) {
	for i := range checked {
		t := &checked[i]
		id := t.Server + ":" + t.Tool
		for _, o := range observations {
			concerned := slices.Contains(o.Tools, id) || o.Selects == id
			if !o.Failed && !o.Classification.Correct() && concerned && !slices.Contains(t.Wrong, o.Case) {
				t.Wrong = append(t.Wrong, o.Case)
			}
		}
		slices.Sort(t.Wrong)
	}
}
