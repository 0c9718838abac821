package convert

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// listedTool is a tool as a server lists it.
type listedTool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`
}

// frame is a message of MCP, as far as it tells a model about tools.
type frame struct {
	Result struct {
		Tools        []listedTool `json:"tools"`
		Instructions string       `json:"instructions"`
	} `json:"result"`
}

// judgedCase is a message with the verdict of its authors.
type judgedCase struct {
	id, category, technique, reference, severity string
	malicious, hard                              bool
	frames                                       []frame
}

// entries makes an entry of each tool of a case, and of instructions. A list of
// several tools of which the case does not say which is the attack is left out,
// because no label of a single tool follows from it.
func (c judgedCase) entries(im *importer) []contracts.SecurityEntry {
	var entries []contracts.SecurityEntry
	add := func(suffix, carrier string, e contracts.SecurityEntry) {
		e.ID, e.Provenance.Reference = c.id+suffix, c.reference
		switch {
		case c.malicious:
			e.Label, e.Category, e.Severity, e.Technique, e.Carrier = contracts.LabelMalicious, c.category, "high",
				c.technique, carrier
			if slices.Contains([]string{"low", "medium", "critical"}, c.severity) {
				e.Severity = c.severity
			}
		case c.hard:
			e.Label, e.Category = contracts.LabelBenign, contracts.CategoryHardNegative
			e.HardNegativeFor, e.Rationale = c.category, "The authors of the case say that it is innocent."
		default:
			e.Label, e.Category = contracts.LabelBenign, contracts.CategoryBenign
		}

		entries = append(entries, e)
	}
	for _, f := range c.frames {
		if f.Result.Instructions != "" {
			add("", contracts.CarrierServerInstructions,
				contracts.SecurityEntry{ServerInstructions: f.Result.Instructions})
		}

		tools := f.Result.Tools
		if c.malicious && len(tools) > 1 {
			im.recordMapping("left out: an attack in a list of several tools, of which the case " +
				"does not say which one it is")
			continue
		}

		for i, t := range tools {
			suffix := ""
			if len(tools) > 1 {
				suffix = fmt.Sprintf("-%d", i+1)
			}

			add(suffix, contracts.CarrierDescription, contracts.SecurityEntry{
				Name: t.Name, Description: t.Description, InputSchema: objectOf(t.InputSchema),
				OutputSchema: objectOf(t.OutputSchema), Annotations: objectOf(t.Annotations),
			})
		}
	}

	if len(entries) == 0 {
		im.recordMapping("left out: a case without a definition of a tool that could be judged")
	}

	return entries
}

// objectOf returns a JSON object, or nil for anything else.
func objectOf(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	return raw
}

// readGuardBench reads the cases of mcp-guardbench: one message of a server in
// each file, with the action that a guard should take. Messages of calls and
// results are left out: a detector of Touchstone judges definitions.
func readGuardBench(im *importer, files []File) ([]Imported, error) {
	var entries []contracts.SecurityEntry
	for _, f := range files {
		var c struct {
			ID       string `json:"id"`
			Bucket   string `json:"bucket"`
			Category string `json:"category"`
			Source   string `json:"source"`
			Message  frame  `json:"message"`
		}
		if err := json.Unmarshal(f.Data, &c); err != nil {
			im.recordMapping("left out: a file that is not a case of mcp-guardbench")
			continue
		}

		if c.ID == "" || c.Bucket == "" {
			im.recordMapping("left out: a file that is not a case of mcp-guardbench")
			continue
		}

		category := contracts.CategoryToolPoisoning
		if c.Category == "OWASP-MCP-2" {
			category = contracts.CategoryPromptInjection
		}

		entries = append(entries, judgedCase{
			id: "guardbench-" + c.ID, category: category, technique: slug(c.Category), reference: c.Source,
			malicious: c.Bucket != "benign", frames: []frame{c.Message},
		}.entries(im)...)
	}

	return im.newSecurity(entries)
}

// readEgressBench reads the cases of agent-egress-bench in which a server lists
// tools. All others are about traffic of agents, and are left out.
func readEgressBench(im *importer, files []File) ([]Imported, error) {
	var entries []contracts.SecurityEntry
	for _, f := range files {
		var c struct {
			ID      string `json:"id"`
			Kind    string `json:"input_type"`
			Payload struct {
				Messages []frame `json:"jsonrpc_messages"`
			} `json:"payload"`
			Verdict  string `json:"expected_verdict"`
			Severity string `json:"severity"`
			Why      string `json:"why_expected"`
			Source   string `json:"source"`
			Risk     string `json:"false_positive_risk"`
		}
		if err := json.Unmarshal(f.Data, &c); err != nil || c.ID == "" || c.Verdict == "" {
			im.recordMapping("left out: a file that is not a case of agent-egress-bench")
			continue
		}

		if c.Kind != "mcp_tool_definition" {
			im.recordMapping("left out: a case that is not about the definition of a tool")
			continue
		}

		category := contracts.CategoryToolPoisoning
		switch {
		case strings.Contains(c.Why, "shadowing"):
			category = contracts.CategoryShadowing
		case strings.Contains(c.Why, "drift"):
			// A rug pull is told by the approved definition, which the case lacks.
			im.recordMapping("a rug pull became tool_poisoning, because the case has no definition from before")
		}

		entries = append(entries, judgedCase{
			id: "egress-" + c.ID, category: category, technique: slug(c.Why), reference: c.Source, severity: c.Severity,
			malicious: c.Verdict != "allow", hard: c.Verdict == "allow" && c.Risk != "low", frames: c.Payload.Messages,
		}.entries(im)...)
	}

	return im.newSecurity(entries)
}

// readInjecAgent reads the cases of InjecAgent (Zhan et al., ACL Findings 2024).
// Their attacks are in the results of tools and not in definitions: an entry has
// the result as its description, so that a detector can be shown the text.
func readInjecAgent(im *importer, files []File) ([]Imported, error) {
	var entries []contracts.SecurityEntry
	for _, f := range files {
		rows, err := im.rows(f)
		if err != nil {
			return nil, err
		}

		for i, o := range rows {
			var tool, result, kind string
			if err := o.all(map[string]any{"User Tool": &tool, "Tool Response": &result,
				"Attack Type": &kind}); err != nil {
				return nil, fmt.Errorf("%s: case %d: %w", f.Name, i+1, err)
			}

			if tool == "" || result == "" {
				return nil, fmt.Errorf("%s: case %d has no \"User Tool\" or no \"Tool Response\"; check that it is "+
					"a file of test cases of InjecAgent", f.Name, i+1)
			}

			im.recordMapping("the result of a tool became the description of an entry")
			entries = append(entries, contracts.SecurityEntry{
				ID: fmt.Sprintf("injecagent-%s-%d", caseFile(f.Name), i+1), Name: tool, Description: result,
				Label: contracts.LabelMalicious, Category: contracts.CategoryPromptInjection,
				Severity: "high", Technique: slug("indirect " + kind), Carrier: contracts.CarrierDescription,
			})
		}
	}

	return im.newSecurity(entries)
}

// caseFile is the name of a file without directory and ending.
func caseFile(name string) string {
	name = name[strings.LastIndex(name, "/")+1:]
	name, _, _ = strings.Cut(name, ".")
	return name
}
