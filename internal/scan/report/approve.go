package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Approve approves single changes: items are those of a Drift from b to the tools, or
// one field of an item, as "server:label#/pointer". how gives reason, author and date.
// If an item is no change, b stays as it is and the error names the item.
func (b *Baseline) Approve(tools []input.Tool, items []string, how Approval) error {
	present, err := NewBaseline(tools)
	if err != nil {
		return err
	}

	next := slices.Clone(b.Tools)
	approvals := slices.Clone(b.Approvals)
	for _, item := range items {
		changes := drift(pointersTo(present.Tools), pointersTo(next))
		label, pointer, single := cutItem(item, changes)
		at := slices.IndexFunc(changes.Changes, func(c Changed) bool { return c.Item == label })
		if at < 0 {
			return notChanged(item, changes)
		}

		c := &changes.Changes[at]
		approval := how
		approval.Item, approval.Severity = item, c.Severity
		switch {
		case single:
			f := slices.IndexFunc(c.Fields, func(f ChangedField) bool { return f.Pointer == pointer })
			if f < 0 {
				return fmt.Errorf("%s has no changed field %s: its changes are %s", safetext.Visible(label),
					safetext.Visible(pointer), c.pointers())
			}

			approval.Severity = c.Fields[f].Severity
			i, now := indexOf(next, c.key), present.Tools[indexOf(present.Tools, c.key)]
			if next[i], err = withField(next[i], now, pointer); err != nil {
				return fmt.Errorf("approve %s: %w", safetext.Visible(item), err)
			}
		default:
			next = slices.DeleteFunc(next, func(t scanner.Tool) bool { return toolName{t.Server, t.Label()} == c.key })
			if i := indexOf(present.Tools, c.key); i >= 0 {
				next = append(next, present.Tools[i])
			}
		}

		approvals = append(approvals, approval)
	}

	sortTools(next)
	b.Tools, b.Approvals = next, approvals
	return nil
}

// cutItem splits an item from the pointer of a field. A label may contain # itself.
func cutItem(item string, d *Drift) (label, pointer string, single bool) {
	if slices.ContainsFunc(d.Changes, func(c Changed) bool { return c.Item == item }) {
		return item, "", false
	}
	for _, c := range d.Changes {
		if rest, ok := strings.CutPrefix(item, c.Item+"#"); ok {
			return c.Item, rest, true
		}
	}
	return item, "", false
}

func notChanged(item string, d *Drift) error {
	if len(d.Changes) == 0 {
		return fmt.Errorf("%s has not changed: nothing has, so there is nothing to approve", safetext.Visible(item))
	}

	var items []string
	for _, c := range d.Changes {
		items = append(items, c.Item)
	}

	label, pointer, field := strings.Cut(item, "#/")
	if near := nearest(label, items); field && near != "" {
		return fmt.Errorf("%s has not changed; did you mean %s?", safetext.Visible(item),
			safetext.Visible(near+"#/"+pointer))
	}

	if near := nearest(item, items); near != "" {
		return fmt.Errorf("%s has not changed; did you mean %s?", safetext.Visible(item), safetext.Visible(near))
	}

	return fmt.Errorf("%s has not changed: the changes are %s", safetext.Visible(item),
		safetext.Clip(strings.Join(items, ", "), 1000))
}

func (c *Changed) pointers() string {
	if len(c.Fields) == 0 {
		return "the whole: " + c.Why
	}
	var list []string
	for _, f := range c.Fields {
		list = append(list, f.Pointer)
	}
	return safetext.Clip(strings.Join(list, ", "), 1000)
}

func indexOf(tools []scanner.Tool, key toolName) int {
	return slices.IndexFunc(tools, func(t scanner.Tool) bool { return toolName{t.Server, t.Label()} == key })
}

// withField returns the approved tool with one field as it is now.
func withField(was, now scanner.Tool, pointer string) (scanner.Tool, error) {
	approved, err := tree(was)
	if err != nil {
		return was, err
	}

	present, err := tree(now)
	if err != nil {
		return was, err
	}

	if strings.HasPrefix(pointer, "/arguments/") && was.Subject == scanner.SubjectPrompt &&
		!slices.Equal(argumentNames(approved), argumentNames(present)) {
		return was, errors.New("the prompt has other arguments now, or in another order: approve the whole item")
	}

	merged, err := set(approved, present, jsonpointer.Split(pointer))
	if err != nil {
		return was, err
	}

	row, err := json.Marshal(merged)
	if err != nil {
		return was, err
	}

	return input.FromRow(was.Subject, row)
}

func tree(t scanner.Tool) (any, error) {
	row, err := input.Row(&t)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(row))
	d.UseNumber()
	var v any
	return v, d.Decode(&v)
}

// argumentNames lists the names of the arguments of a prompt. A change of an argument has
// the place of the present list, which must be that in the approved one.
func argumentNames(prompt any) (names []string) {
	object, _ := prompt.(map[string]any)
	list, _ := object["arguments"].([]any)
	for _, e := range list {
		argument, _ := e.(map[string]any)
		names = append(names, fmt.Sprint(argument["name"]))
	}
	return names
}

// set returns into with the value at the end of the steps as it is in from, or without
// it if from has none.
func set(into, from any, steps []string) (any, error) {
	if len(steps) == 0 {
		return from, nil
	}

	switch source := from.(type) {
	case map[string]any:
		object, ok := into.(map[string]any)
		if !ok {
			object = map[string]any{}
		}

		next, has := source[steps[0]]
		if !has {
			delete(object, steps[0])
			return object, nil
		}

		v, err := set(object[steps[0]], next, steps[1:])
		object[steps[0]] = v
		return object, err
	case []any:
		i, err := strconv.Atoi(steps[0])
		list, ok := into.([]any)
		if err != nil || !ok || i >= len(source) || i >= len(list) {
			return into, errors.New("the field is in a list of another length: approve the whole item")
		}

		list[i], err = set(list[i], source[i], steps[1:])
		return list, err
	}

	return into, errors.New("the field is not in the present definition: approve the whole item")
}
