package undertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
)

// Mismatch returns an error that describes how the tools that the proxy lists differ
// from the expected ones, or nil if they are equal.
func (p *Proxy) Mismatch(want, got []Tool) error {
	expected, err := Digest(want)
	if err != nil {
		return fmt.Errorf("the corpus: %w", err)
	}

	listed, err := Digest(got)
	if err != nil {
		return p.WithLog(fmt.Errorf("proxy %q lists an entry that is not a tool: %w", p.Manifest.Name, err))
	}

	lines := Differences(expected, listed)
	if len(lines) == 0 {
		return nil
	}

	text := fmt.Sprintf("proxy %q did not index the corpus: %d of %d tools differ:\n%s", p.Manifest.Name, len(lines),
		len(want), Shorten(lines))
	if missing(expected, listed) {
		text += "\n" + p.unlisted()
	}

	text += p.schemaChanges(want, got)
	return p.WithLog(errors.New(text))
}

// missing reports whether an expected tool is not listed.
func missing(expected, listed []contracts.IndexedTool) bool {
	names := map[contracts.ToolID]bool{}
	for _, t := range listed {
		names[t.ToolID] = true
	}
	return slices.ContainsFunc(expected, func(t contracts.IndexedTool) bool { return !names[t.ToolID] })
}

// maxSchemas is the number of tools whose changed schema a message shows, and
// maxChanges the number of changes for each.
const (
	maxSchemas = 3
	maxChanges = 10
)

// schemaChanges describes how the schemas of tools differ, and which keywords at the
// top level an adapter has to declare if the proxy always drops them.
func (p *Proxy) schemaChanges(want, got []Tool) string {
	listed := make(map[contracts.ToolID]Tool, len(got))
	for _, t := range got {
		listed[t.ID] = t
	}

	var text strings.Builder
	shown := 0
	dropped, onlyDrops := map[string]bool{}, true
	for _, t := range want {
		other, ok := listed[t.ID]
		if !ok || other.NoSchema {
			continue
		}

		changes := diffSchemas(t.Schema, other.Schema)
		for _, c := range changes {
			keyword, isDrop := c.droppedKeyword()
			onlyDrops = onlyDrops && isDrop
			dropped[keyword] = true
		}

		if len(changes) == 0 {
			continue
		}

		if shown++; shown > maxSchemas {
			continue
		}

		fmt.Fprintf(&text, "\nthe schema of %s (- corpus, + proxy):", printable(t.ID))
		for _, c := range changes[:min(len(changes), maxChanges)] {
			text.WriteString(c.String())
		}

		if n := len(changes) - maxChanges; n > 0 {
			fmt.Fprintf(&text, "\n  and %d more differences", n)
		}
	}

	if _, isDescribed := p.driver.(*adapterDriver); isDescribed && shown > 0 && onlyDrops {
		var quoted []string
		for _, keyword := range slices.Sorted(maps.Keys(dropped)) {
			quoted = append(quoted, strconv.Quote(keyword))
		}

		fmt.Fprintf(&text, "\nif the proxy never keeps these keywords, add them to schema_drops in the tools block "+
			"of its adapter: %s", strings.Join(quoted, ", "))
	}

	return text.String()
}

// change is a value that differs between two schemas. path is a JSON pointer (RFC
// 6901). before is nil if only the second schema has the value, after if only the
// first has it.
type change struct {
	path          string
	before, after *any
}

// droppedKeyword returns the keyword at the top level that the second schema lacks. ok
// is false for other changes.
func (c change) droppedKeyword() (keyword string, ok bool) {
	names := jsonpointer.Split(c.path)
	if c.after != nil || len(names) != 1 {
		return "", false
	}
	return names[0], true
}

// String returns one or two lines, each with a line break before it.
func (c change) String() string {
	line := func(mark string, v *any) string {
		if v == nil {
			return ""
		}
		text, err := json.Marshal(*v)
		if err != nil {
			text = []byte(fmt.Sprint(*v))
		}
		return "\n  " + mark + " " + printable(clipped(c.path+": "+string(text), maxShownLine))
	}
	return line("-", c.before) + line("+", c.after)
}

// diffSchemas returns the values that differ between two schemas, sorted by path. A
// schema that is not JSON counts as its text.
func diffSchemas(before, after json.RawMessage) []change {
	decoded := func(raw json.RawMessage) any {
		var v any
		if len(raw) > 0 && json.Unmarshal(raw, &v) != nil {
			return string(raw)
		}
		return v
	}
	return diffValues("", decoded(before), decoded(after))
}

func diffValues(path string, before, after any) []change {
	if reflect.DeepEqual(before, after) {
		return nil
	}

	a, isObject := before.(map[string]any)
	b, isAlso := after.(map[string]any)
	if !isObject || !isAlso {
		return []change{{path, &before, &after}}
	}

	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	var changes []change
	for _, key := range slices.Compact(keys) {
		at := jsonpointer.Join(path, key)
		x, inA := a[key]
		y, inB := b[key]
		switch {
		case !inB:
			changes = append(changes, change{at, &x, nil})
		case !inA:
			changes = append(changes, change{at, nil, &y})
		default:
			changes = append(changes, diffValues(at, x, y)...)
		}
	}

	return changes
}
