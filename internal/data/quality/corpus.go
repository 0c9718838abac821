package quality

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/contracts"
)

// likeness is the resemblance from which two texts count as near-duplicates.
const likeness = 0.8

// Corpus describes a valid corpus. data is the content of the file name.
func Corpus(name string, data []byte, c contracts.Corpus) *Report {
	r := &Report{Tables: []Table{}, Findings: []Finding{}}
	servers, parts := counter{}, counter{}
	var lengths []float64
	texts := make([]string, len(c.Tools))
	parameters, described := 0, 0
	for i, t := range c.Tools {
		servers[t.Server]++
		for part, has := range map[string]bool{"description": t.Description != "",
			"output schema": len(t.OutputSchema) > 0, "annotations": len(t.Annotations) > 0} {
			if has {
				parts[part]++
			}
		}

		lengths = append(lengths, float64(utf8.RuneCountInString(t.Description)))
		texts[i] = t.Description
		all, with := countParameters(t.Schema)
		parameters, described = parameters+all, described+with
		r.checkText(t.ToolID, t.Description+"\n"+string(t.Schema))
	}

	sizes := make([]float64, 0, len(servers))
	for _, n := range servers {
		sizes = append(sizes, float64(n))
	}

	r.Tables = append(r.Tables,
		Table{"size", []Row{{Name: "tools", Value: float64(len(c.Tools))},
			{Name: "servers", Value: float64(len(servers))}, {Name: "parameters", Value: float64(parameters)},
			{"described parameters", float64(described), share(described, parameters)}}},
		parts.table("tools with", len(c.Tools)), quantiles("tools of a server", sizes),
		quantiles("characters of a description", lengths), servers.table("tools by server", len(c.Tools)))
	for _, p := range nearDuplicates(texts, likeness) {
		r.find("near-duplicate", c.Tools[p.second].ToolID, "its description resembles that of %s (%.2f)",
			c.Tools[p.first].ToolID, p.resemblance)
	}

	checkRoundTrip(r, name, data, c)
	return r
}

// countParameters counts the parameters of a schema, and those with a
// description.
func countParameters(schema json.RawMessage) (all, described int) {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(schema, &s) // a schema of another form has none
	for _, raw := range s.Properties {
		var p struct {
			Description string `json:"description"`
		}
		_ = json.Unmarshal(raw, &p)
		if all++; p.Description != "" {
			described++
		}
	}

	return all, described
}

// Cases describes valid cases.
func Cases(name string, data []byte, s contracts.CaseSet) *Report {
	r := &Report{Tables: []Table{}, Findings: []Finding{}}
	calls, tags := counter{}, counter{}
	texts := make([]string, len(s.Cases))
	for i, c := range s.Cases {
		calls[fmt.Sprintf("%d calls", len(c.Expected))]++
		for _, tag := range c.Tags {
			tags[tag]++
		}

		texts[i] = c.Query
		r.checkText(c.ID, c.Query)
	}

	r.Tables = append(r.Tables, Table{"size", []Row{{Name: "cases", Value: float64(len(s.Cases))}}},
		calls.table("cases with", len(s.Cases)), tags.table("cases by tag", len(s.Cases)))
	for _, p := range nearDuplicates(texts, likeness) {
		r.find("near-duplicate", s.Cases[p.second].ID, "its request resembles that of %s (%.2f)", s.Cases[p.first].ID,
			p.resemblance)
	}

	checkRoundTrip(r, name, data, s)
	return r
}
