package validation

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

// checkCases refuses cases that cannot be scored with the corpus. It returns
// warnings. It skips checks that need the corpus if the corpus could not be
// read.
func checkCases(d *dataset[contracts.CaseSet], corpus *contracts.Corpus) (warnings []string) {
	s := &d.value
	checkSource(d, &s.GeneratedFrom)
	checkNUL(d)
	checkFileName(d, s.Version)
	if s.CorpusVersion != "" && corpus.Version != "" && s.CorpusVersion != corpus.Version {
		d.refuse("/corpus_version", "",
			fmt.Sprintf("the cases are written for corpus %.128q, but the corpus is %.128q", s.CorpusVersion,
				corpus.Version),
			"use the corpus that the cases were written for, or check the cases and change corpus_version")
	}

	k := newKnown(corpus)
	first := make(map[string]int)
	byText := make(map[string]*contracts.SelectionCase)
	var repeated []string
	none, filled := 0, 0
	for i := range s.Cases {
		c := &s.Cases[i]
		at := fmt.Sprintf("/cases/%d", i)
		checkID(d, at, "case", c.ID, i, first)
		if c.Query != "" && len(textWords(c.Query)) == 0 {
			d.refuse(at+"/query", c.ID, "the query has no word", "write what a user would ask for")
		}

		text := strings.Join(append(slices.Clone(c.Servers), readerText(c.Query)), "\n")
		if earlier := byText[text]; earlier == nil {
			byText[text] = c
		} else if c.Query != "" {
			repeated = append(repeated, c.ID)
			checkSameAnswer(d, at, c, earlier)
		}

		checkServers(d, at, c, k)
		if c.Ordered && len(c.Expected) < 2 {
			d.refuse(at+"/ordered", c.ID, "ordered is true, and the case expects fewer than two calls",
				"remove the field, or add the other calls")
		}

		if len(c.Expected) == 0 {
			none++
		}

		if checkCalls(d, at, c, k) {
			filled++
		}
	}

	if len(s.Cases) == 0 {
		return nil
	}

	if len(repeated) > 0 {
		warnings = append(warnings,
			fmt.Sprintf("cases: %d cases repeat the text of an earlier one: %s", len(repeated), listed(repeated)))
	}

	if none == 0 {
		warnings = append(warnings, "cases: every case expects a tool, so a model that always calls one is never "+
			"wrong to do so")
	}

	if filled == 0 {
		warnings = append(warnings, "cases: no case says which parameters are right, so parameters are hardly tested")
	}

	return warnings
}

// known indexes the content of a corpus.
type known struct {
	tools   map[string]*contracts.Tool
	servers map[string]bool
}

func newKnown(corpus *contracts.Corpus) known {
	k := known{make(map[string]*contracts.Tool), make(map[string]bool)}
	for i := range corpus.Tools {
		t := &corpus.Tools[i]
		k.tools[t.ToolID], k.servers[t.Server] = t, true
	}
	return k
}

func checkSameAnswer(d *dataset[contracts.CaseSet], at string, c, earlier *contracts.SelectionCase) {
	same := slices.EqualFunc(c.Expected, earlier.Expected, func(a, b contracts.ExpectedCall) bool {
		return a.Server == b.Server && a.Tool == b.Tool
	})
	if !same {
		d.refuse(at+"/query", c.ID,
			fmt.Sprintf("the text is the same as that of %s, which expects other calls", earlier.ID),
			"correct one of the two, or rephrase one of the queries")
	}
}

// checkServers refuses servers that the corpus does not have, and an offer that
// lacks the right tools.
func checkServers(d *dataset[contracts.CaseSet], at string, c *contracts.SelectionCase, k known) {
	seen := make(map[string]bool)
	for i, name := range c.Servers {
		place := fmt.Sprintf("%s/servers/%d", at, i)
		switch {
		case seen[name]:
			d.refuse(place, c.ID, fmt.Sprintf("the server %q is listed twice", name), "keep one of the two")
		case len(k.servers) > 0 && !k.servers[name]:
			d.refuse(place, c.ID, fmt.Sprintf("the corpus has no server %q", name), "correct the name, or remove it")
		}

		seen[name] = true
	}

	if len(c.Servers) == 0 {
		return
	}

	for place, call := range namedCalls(at, c) {
		if call.Server != "" && !seen[call.Server] {
			d.refuse(place+"/server", c.ID,
				fmt.Sprintf("server %q is not among the offered servers", call.Server), "add it to servers")
		}
	}
}

// namedCalls are the calls that a case expects, their alternatives, and the
// forbidden ones, each with its place.
func namedCalls(at string, c *contracts.SelectionCase) iter.Seq2[string, contracts.AlternativeCall] {
	return func(yield func(string, contracts.AlternativeCall) bool) {
		for i, call := range c.Expected {
			for j, choice := range call.Choices() {
				place := fmt.Sprintf("%s/expected/%d", at, i)
				if j > 0 {
					place = fmt.Sprintf("%s/alternatives/%d", place, j-1)
				}

				if !yield(place, choice) {
					return
				}
			}
		}

		for i, t := range c.Forbidden {
			if !yield(fmt.Sprintf("%s/forbidden/%d", at, i), contracts.AlternativeCall{Server: t.Server,
				Tool: t.Tool}) {
				return
			}
		}
	}
}

// checkCalls checks the expected calls, and reports whether any specifies the
// right parameters.
func checkCalls(d *dataset[contracts.CaseSet], at string, c *contracts.SelectionCase, k known) (filled bool) {
	for place, call := range namedCalls(at, c) {
		filled = filled || call.Parameters != nil || call.Match != nil
		if err := score.CheckCall(call); err != nil {
			d.refuse(place, c.ID, err.Error(), "correct the call")
			continue
		}

		if call.Server == "" || call.Tool == "" || len(k.tools) == 0 {
			continue
		}

		id := call.Server + ":" + call.Tool
		tool := k.tools[id]
		if tool == nil {
			d.refuse(place+"/tool", c.ID, fmt.Sprintf("the corpus has no tool %q", id), suggest(d, id, k.tools))
			continue
		}

		if call.Parameters != nil && !d.fromSchema[place+"/parameters"] {
			checkParameters(d, place+"/parameters", c, call, tool)
		}
	}

	return filled
}

// checkParameters refuses expected parameters that the tool's input schema does
// not allow.
func checkParameters(d *dataset[contracts.CaseSet], at string, c *contracts.SelectionCase,
	call contracts.AlternativeCall, tool *contracts.Tool) {
	p, err := score.CheckParameters(call.Parameters, tool.Schema, c.Query)
	if err != nil {
		return // not an object: the schema of the contract has reported it
	}

	if p.SchemaProblem != "" {
		d.refuse(at, c.ID, fmt.Sprintf("the input schema of %s cannot be used: %s", tool.ToolID, p.SchemaProblem),
			"correct the schema in a new version of the corpus, or leave out parameters")
	}

	var ruled map[string]json.RawMessage
	_ = json.Unmarshal(call.Match, &ruled) // checked before

	for _, one := range p.Details {
		if one.Problem == "" || ruled[one.Name] != nil {
			continue
		}

		place, name := at, "the parameters break"
		if one.Name != "" {
			name = fmt.Sprintf("parameter %.128q breaks", one.Name)
			if one.Actual != nil {
				place = jsonpointer.Join(at, one.Name)
			}
		}

		d.refuse(place, c.ID, fmt.Sprintf("%s the input schema of %s: %s", name, tool.ToolID, one.Problem),
			"correct the parameters as the schema in the corpus says")
	}
}
