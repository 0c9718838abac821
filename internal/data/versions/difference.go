package versions

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Difference is what differs between two versions of a dataset. Header lists the
// fields outside of the entries that differ.
type Difference struct {
	Kind    string   `json:"kind"`
	From    string   `json:"from"`
	To      string   `json:"to"`
	Header  []string `json:"header"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Edited  []Edited `json:"edited"`
	Same    int      `json:"same"`
}

// Edited is an entry of both versions, and the fields in which it differs.
type Edited struct {
	ID     string   `json:"id"`
	Fields []string `json:"fields"`
}

// Diff compares two datasets of one kind, entry by entry. White space and the
// order of entries and fields make no difference.
func Diff(from, to string) (Difference, error) {
	var sides [2]map[string]json.RawMessage
	var kinds [2]string
	for i, file := range []string{from, to} {
		data, kind, err := readDataset(file)
		if err != nil {
			return Difference{}, err
		}

		kinds[i] = kind
		if err := json.Unmarshal(data, &sides[i]); err != nil {
			return Difference{}, fmt.Errorf("%s: %w", file, err)
		}
	}

	if kinds[0] != kinds[1] {
		return Difference{}, fmt.Errorf("%s is a %s dataset and %s a %s dataset; compare two versions of one kind",
			from, kinds[0], to, kinds[1])
	}

	d := Difference{Kind: kinds[0], From: from, To: to, Header: []string{}, Added: []string{}, Removed: []string{},
		Edited: []Edited{}}
	list, id := "entries", "id"
	switch d.Kind {
	case contracts.KindCorpus:
		list, id = "tools", "tool_id"
	case contracts.KindGolden:
		list = "queries"
	case contracts.KindCases:
		list = "cases"
	}

	var entries [2]map[string]map[string]any
	for i, file := range []string{from, to} {
		var err error
		if entries[i], err = byID(file, sides[i][list], id); err != nil {
			return d, err
		}

		delete(sides[i], list)
	}

	header, err := fields(sides[0], sides[1])
	if err != nil {
		return d, err
	}

	d.Header = append(d.Header, header...)
	for _, name := range slices.Sorted(maps.Keys(entries[0])) {
		after, ok := entries[1][name]
		if !ok {
			d.Removed = append(d.Removed, name)
			continue
		}

		if changed := changedKeys(entries[0][name], after); len(changed) > 0 {
			d.Edited = append(d.Edited, Edited{name, changed})
		} else {
			d.Same++
		}
	}

	for _, name := range slices.Sorted(maps.Keys(entries[1])) {
		if _, ok := entries[0][name]; !ok {
			d.Added = append(d.Added, name)
		}
	}

	return d, nil
}

func byID(file string, raw json.RawMessage, id string) (map[string]map[string]any, error) {
	var list []map[string]any
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%s: its entries are not objects: %w", file, err)
	}

	entries := make(map[string]map[string]any, len(list))
	for i, e := range list {
		name, ok := e[id].(string)
		if _, twice := entries[name]; !ok || name == "" || twice {
			return nil, fmt.Errorf("%s: entry %d has no %s, or that of an earlier one; touchstone data check says more",
				file, i+1, id)
		}

		entries[name] = e
	}

	return entries, nil
}

// fields lists the fields of two objects that differ.
func fields(a, b map[string]json.RawMessage) ([]string, error) {
	var sides [2]map[string]any
	for i, raw := range []map[string]json.RawMessage{a, b} {
		text, err := json.Marshal(raw)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &sides[i]); err != nil {
			return nil, err
		}
	}
	return changedKeys(sides[0], sides[1]), nil
}

func changedKeys(a, b map[string]any) []string {
	var changed []string
	for key, value := range a {
		if other, ok := b[key]; !ok || !reflect.DeepEqual(value, other) {
			changed = append(changed, key)
		}
	}

	for key := range b {
		if _, ok := a[key]; !ok {
			changed = append(changed, key)
		}
	}

	slices.Sort(changed)
	return changed
}
