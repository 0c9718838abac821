package convert

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// readMCPTox reads MCPTox (Wang et al., arXiv:2508.14925). response_all.json has
// the answers of models, by server: each malicious_instance has the text of a
// poisoned tool, and clean_system_promot the texts of the server's own tools.
// pure_tool.json is a list of objects with a row for each poisoned tool. What the
// authors marked as wrong_data is left out.
func readMCPTox(im *importer, files []File) ([]Imported, error) {
	var entries []contracts.SecurityEntry
	for _, f := range files {
		var top struct {
			Servers map[string]struct {
				Clean     string `json:"clean_system_promot"`
				Malicious []struct {
					Wrong    int    `json:"wrong_data"`
					Tool     string `json:"poisoned_tool"`
					Metadata struct {
						Paradigm string `json:"paradigm"`
						Risk     string `json:"security risk"`
					} `json:"metadata"`
				} `json:"malicious_instance"`
			} `json:"servers"`
		}
		if trimmed := strings.TrimSpace(string(f.Data)); strings.HasPrefix(trimmed, "[") {
			more, err := im.pureTools(f)
			if err != nil {
				return nil, err
			}

			entries = append(entries, more...)
			continue
		}

		if err := json.Unmarshal(f.Data, &top); err != nil {
			return nil, fmt.Errorf("%s: it is not response_all.json of MCPTox: %w", f.Name, err)
		}

		for _, server := range slices.Sorted(maps.Keys(top.Servers)) {
			s := top.Servers[server]
			for i, m := range s.Malicious {
				if m.Wrong != 0 {
					im.recordMapping("left out: an instance that is marked as wrong_data")
					continue
				}

				name, description := toolText(m.Tool)
				entries = append(entries,
					mcptoxAttack(server, fmt.Sprint(i+1), name, description, m.Metadata.Risk, m.Metadata.Paradigm))
			}

			for i, block := range strings.Split("\n"+s.Clean, "\nTool:")[1:] {
				name, description := toolText("Tool:" + block)
				if description == "" {
					im.recordMapping("left out: a tool of a server that has no description")
					continue
				}

				entries = append(entries, contracts.SecurityEntry{
					ID: fmt.Sprintf("mcptox-%s-clean-%d", server, i+1), Server: serverName(server), Name: name,
					Description: description,
					Label:       contracts.LabelBenign, Category: contracts.CategoryBenign,
				})
			}
		}
	}

	return im.newSecurity(entries)
}

// pureTools reads pure_tool.json.
func (im *importer) pureTools(f File) ([]contracts.SecurityEntry, error) {
	lists, err := im.rows(f)
	if err != nil {
		return nil, err
	}

	var entries []contracts.SecurityEntry
	for i, list := range lists {
		for _, key := range slices.Sorted(maps.Keys(list.fields)) {
			var row struct {
				Server   string `json:"server_name"`
				Tool     string `json:"tool_name"`
				Content  string `json:"tool_content"`
				Risk     string `json:"security risk"`
				Paradigm string `json:"paradigm"`
			}
			if err := list.take(key, &row); err != nil {
				return nil, fmt.Errorf("%s: element %d: %w", f.Name, i+1, err)
			}

			if row.Content == "" {
				return nil, fmt.Errorf("%s: element %d: %q has no tool_content; check that it is pure_tool.json of "+
					"MCPTox", f.Name, i+1, key)
			}

			entries = append(entries,
				mcptoxAttack(row.Server, key, row.Tool, strings.TrimSpace(row.Content), row.Risk, row.Paradigm))
		}
	}

	return entries, nil
}

func mcptoxAttack(server, key, name, description, risk, paradigm string) contracts.SecurityEntry {
	return contracts.SecurityEntry{
		ID: fmt.Sprintf("mcptox-%s-%s", server, key), Server: serverName(server), Name: name, Description: description,
		Label: contracts.LabelMalicious, Category: contracts.CategoryToolPoisoning,
		Technique: slug(risk + " " + paradigm), Carrier: contracts.CarrierDescription, Severity: "high",
	}
}

// toolText reads a tool from the text that models are shown: "Tool: NAME", a line
// "Description: ..." and maybe "Arguments:". Some texts have \n for line ends.
func toolText(text string) (name, description string) {
	text = strings.TrimSpace(strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(text))
	name, rest, _ := strings.Cut(strings.TrimPrefix(text, "Tool:"), "\n")
	_, description, _ = strings.Cut(rest, "Description:")
	if i := strings.LastIndex(description, "\nArguments:"); i >= 0 {
		description = description[:i]
	}
	return strings.TrimSpace(name), strings.TrimSpace(description)
}

// slug writes words in lower case, joined by hyphens, as a technique.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	joined := strings.Join(words, "-")
	return strings.TrimRight(joined[:min(len(joined), 100)], "-")
}
