package similarity

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Tool is one tool to compare.
type Tool struct {
	ID          string          `json:"id"` // server:name, unique
	Server      string          `json:"server"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
}

// ErrTooFew is the error of Prepare when fewer than two tools are left.
var ErrTooFew = errors.New("at least two different tools are needed")

// Prepare returns the tools sorted by ID, without duplicates. If names are
// given, it keeps only the tools with these names or IDs, and returns an error
// that lists all unknown names. Two tools with one ID and different content are
// an error.
func Prepare(tools []Tool, names []string) ([]Tool, error) {
	list := slices.Clone(tools)
	for i := range list {
		if list[i].ID == "" {
			list[i].ID = list[i].Server + ":" + list[i].Name
		}
	}

	if len(names) > 0 {
		var err error
		if list, err = keep(list, names); err != nil {
			return nil, err
		}
	}

	slices.SortStableFunc(list, func(a, b Tool) int { return cmp.Compare(a.ID, b.ID) })
	kept := list[:0]
	for _, t := range list {
		if n := len(kept); n > 0 && kept[n-1].ID == t.ID {
			if !kept[n-1].same(&t) {
				return nil, fmt.Errorf("the tool %q is given twice with different content; give each tool once", t.ID)
			}

			continue
		}

		kept = append(kept, t)
	}

	if len(kept) < 2 {
		return nil, fmt.Errorf("%w; %d given", ErrTooFew, len(kept))
	}

	return kept, nil
}

func keep(tools []Tool, names []string) ([]Tool, error) {
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = false
	}

	var kept []Tool
	for _, t := range tools {
		_, byName := wanted[t.Name]
		_, byID := wanted[t.ID]
		if byName {
			wanted[t.Name] = true
		}

		if byID {
			wanted[t.ID] = true
		}

		if byName || byID {
			kept = append(kept, t)
		}
	}

	var missing []string
	for name, found := range wanted {
		if !found {
			missing = append(missing, fmt.Sprintf("%q", name))
		}
	}

	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, fmt.Errorf("no tool is called %s", strings.Join(missing, ", "))
	}

	return kept, nil
}

func (t *Tool) same(o *Tool) bool {
	return t.Server == o.Server && t.Name == o.Name && t.Description == o.Description &&
		string(t.InputSchema) == string(o.InputSchema)
}

// text returns the compared text of a tool: its name and description and, with
// parameters, their names and descriptions.
func (t *Tool) text(parameters []parameter) string {
	var b strings.Builder
	b.WriteString(t.Name)
	b.WriteString(" ")
	b.WriteString(t.Description)
	for _, p := range parameters {
		b.WriteString(" ")
		b.WriteString(p.name)
		b.WriteString(" ")
		b.WriteString(p.description)
	}
	return b.String()
}
