package scanreport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/safetext"
	"github.com/touchstone-eval/touchstone/internal/toollist"
	"github.com/touchstone-eval/touchstone/scanner"
)

// baselineVersion is the version of the baseline file.
const baselineVersion = "touchstone-scan-baseline/1"

// row is a tool in a baseline, in the names of MCP.
type row struct {
	Server       string          `json:"server"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
}

// Baseline returns the text of a baseline file that approves these tools. It
// fails if one name has two definitions, because it cannot tell which of them
// was approved.
func Baseline(tools []toollist.Tool) ([]byte, error) {
	list, places := distinct(tools)
	slices.SortFunc(list, func(a, b scanner.Tool) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Name, b.Name))
	})
	rows := make([]row, len(list))
	for i, t := range list {
		if i > 0 && t.Server == list[i-1].Server && t.Name == list[i-1].Name {
			return nil, fmt.Errorf("the tool %q of server %q has two definitions, in %v: remove one of them, then approve",
				safetext.Visible(t.Name), safetext.Visible(t.Server), places[toolName{t.Server, t.Name}])
		}
		rows[i] = row{t.Server, t.Name, t.Description, t.InputSchema, t.OutputSchema, t.Annotations}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(struct {
		Version string `json:"version"`
		Tools   []row  `json:"tools"`
	}{baselineVersion, rows})
	return safetext.JSON(out.Bytes()), err
}

// ParseBaseline reads a baseline, or any other list of tools with servers, such
// as a corpus.
func ParseBaseline(file string, text []byte) ([]scanner.Tool, error) {
	in, err := toollist.Read(file, "", text)
	if err != nil {
		return nil, err
	}
	if len(in.Unscanned) > 0 {
		u := in.Unscanned[0]
		return nil, &toollist.InputError{Place: u.Place, Reason: u.Reason, Remedy: "write the baseline again with --approve"}
	}
	if len(in.Servers) > 0 {
		return nil, &toollist.InputError{Place: in.Servers[0].Place, Reason: "a client's configuration is not a baseline", Remedy: "write one with --approve"}
	}
	tools := make([]scanner.Tool, 0, len(in.Tools))
	for _, t := range in.Tools {
		if t.Server == "" {
			return nil, &toollist.InputError{Place: t.Place, Reason: "a tool of a baseline names no server", Remedy: "write the baseline again with --approve"}
		}
		tools = append(tools, t.Tool)
	}
	return tools, nil
}

// Drift lists the differences from the baseline, as "server:tool", sorted. The
// rug pull check decides whether a change is an attack.
type Drift struct {
	Approved int      `json:"approved"`
	New      []string `json:"new"`
	Changed  []string `json:"changed"`
	Gone     []string `json:"gone"`
}

func drift(tools, approved []scanner.Tool) *Drift {
	d := &Drift{Approved: len(approved), New: []string{}, Changed: []string{}, Gone: []string{}}
	before := make(map[toolName]*scanner.Tool, len(approved))
	for i := range approved {
		before[toolName{approved[i].Server, approved[i].Name}] = &approved[i]
	}
	now := make(map[toolName]bool, len(tools))
	for i := range tools {
		t := &tools[i]
		key := toolName{t.Server, t.Name}
		now[key] = true
		switch was := before[key]; {
		case was == nil:
			d.New = append(d.New, t.Server+":"+t.Name)
		case !sameMeaning(was, t):
			d.Changed = append(d.Changed, t.Server+":"+t.Name)
		}
	}
	for key := range before {
		if !now[key] {
			d.Gone = append(d.Gone, key.server+":"+key.tool)
		}
	}
	for _, list := range []*[]string{&d.New, &d.Changed, &d.Gone} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return d
}

// sameMeaning reports whether two tools are equal, ignoring white space in JSON.
func sameMeaning(a, b *scanner.Tool) bool {
	return a.Description == b.Description && sameJSON(a.InputSchema, b.InputSchema) &&
		sameJSON(a.OutputSchema, b.OutputSchema) && sameJSON(a.Annotations, b.Annotations)
}

func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, err := json.Marshal(x)
	q, err2 := json.Marshal(y)
	return err == nil && err2 == nil && bytes.Equal(p, q)
}
