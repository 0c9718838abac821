package change

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Level is how bad a change of a field is by itself, whatever the rest of the
// definition says.
type Level int

const (
	Note   Level = iota // what a release changes by itself
	Low                 // wording
	Medium              // more than wording: review it
	High                // what a reviewer would refuse without an explanation
)

// Difference is a field that differs from the approved definition. Was and Now are
// the texts, or JSON for anything but a string, and are empty where the field is
// absent.
type Difference struct {
	Pointer  string
	Was, Now string
	Level    Level
	Why      string
}

// Fields lists the fields that differ, in the order of the definition.
func Fields(was, now *tool.Definition) []Difference {
	c := comparison{was: was, now: now}
	description := "/description"
	if now.Subject == tool.Instructions {
		description = "/instructions"
	}

	c.text("/title", was.Title, now.Title)
	c.text(description, was.Description, now.Description)
	if now.Subject == tool.Prompt {
		c.arguments("/arguments", was.InputSchema, now.InputSchema)
	} else {
		c.json("/inputSchema", was.InputSchema, now.InputSchema)
	}

	c.json("/outputSchema", was.OutputSchema, now.OutputSchema)
	c.json("/annotations", was.Annotations, now.Annotations)
	c.json("", was.Extra, now.Extra)
	return c.out
}

type comparison struct {
	was, now *tool.Definition
	out      []Difference
}

func (c *comparison) add(pointer, was, now string, level Level, why string) {
	c.out = append(c.out, Difference{pointer, was, now, level, why})
}

// text compares a text that models read.
func (c *comparison) text(pointer, was, now string) {
	if was == now {
		return
	}

	level, why := Low, "other words"
	switch l, w := told(was, now); {
	case l > Low:
		level, why = l, w
	case was == "":
		why = "a new text"
	case now == "":
		why = "a text is gone"
	}

	c.add(pointer, was, now, level, why)
}

// json compares two JSON texts. Text that is no JSON is compared as it is.
func (c *comparison) json(pointer string, was, now []byte) {
	if bytes.Equal(was, now) {
		return
	}
	a, errA := decoded(was)
	b, errB := decoded(now)
	if errA != nil || errB != nil {
		c.add(pointer, string(was), string(now), Medium, "not JSON")
		return
	}
	c.value(pointer, a, b, 0)
}

// absent stands for a value that is not there, which null is not.
type absent struct{}

func decoded(raw []byte) (any, error) {
	if len(raw) == 0 {
		return absent{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // large numbers differ too
	var v any
	err := d.Decode(&v)
	return v, err
}

// maxNested bounds the depth of values that are compared member by member.
const maxNested = 200

func (c *comparison) value(pointer string, was, now any, depth int) {
	if same(was, now) {
		return
	}

	if depth < maxNested {
		a, isObject := object(was)
		b, alsoObject := object(now)
		// A part that is new is one change, but not the schema of all parameters.
		if isObject && alsoObject && (was != any(absent{}) && now != any(absent{}) || depth < 2) {
			c.members(pointer, a, b, depth)
			return
		}

		x, isList := was.([]any)
		y, alsoList := now.([]any)
		if isList && alsoList && len(x) == len(y) && !strings.HasSuffix(pointer, "/required") {
			for i := range x {
				c.value(pointer+"/"+strconv.Itoa(i), x[i], y[i], depth+1)
			}

			return
		}
	}

	level, why := c.judge(pointer, was, now)
	c.add(pointer, shown(was), shown(now), level, why)
}

// object returns the members of an object; something absent has none.
func object(v any) (map[string]any, bool) {
	if v == any(absent{}) {
		return nil, true
	}
	m, ok := v.(map[string]any)
	return m, ok
}

func (c *comparison) members(pointer string, was, now map[string]any, depth int) {
	names := map[string]bool{}
	for name := range was {
		names[name] = true
	}

	for name := range now {
		names[name] = true
	}

	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}

	slices.Sort(sorted)
	for _, name := range sorted {
		a, ok := was[name]
		if !ok {
			a = absent{}
		}

		b, ok := now[name]
		if !ok {
			b = absent{}
		}

		if pointer == "/annotations" && same(effective(name, a), effective(name, b)) {
			continue
		}

		c.value(pointer+"/"+tool.EscapePointer(name), a, b, depth+1)
	}
}

func same(a, b any) bool {
	if (a == any(absent{})) != (b == any(absent{})) {
		return false
	}
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

func shown(v any) string {
	switch v := v.(type) {
	case absent:
		return ""
	case string:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
