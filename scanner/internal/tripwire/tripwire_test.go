package tripwire

import (
	"slices"
	"strings"
	"testing"
)

// The embedded file compiles, and each tripwire says what a reader needs.
func TestTheFile(t *testing.T) {
	set, err := Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(set.All); n == 0 {
		t.Error("no tripwires")
	}
	seen := map[string]bool{}
	for _, w := range set.All {
		if seen[w.ID] || strings.Count(w.ID, ".") != 1 {
			t.Errorf("the id %q is not CLASS.NAME, or is used twice", w.ID)
		}
		seen[w.ID] = true
		if !slices.Contains([]string{"medium", "high", "critical"}, w.Severity) {
			t.Errorf("%s: severity %q", w.ID, w.Severity)
		}
		if w.Threat == "" || w.What == "" || w.Why == "" || w.Do == "" {
			t.Errorf("%s lacks a threat, or what, why or do", w.ID)
		}
		if len(w.Fires) < 2 || len(w.Near) < 2 {
			t.Errorf("%s has %d texts that fire and %d near ones, want two each", w.ID, len(w.Fires), len(w.Near))
		}
	}
}

// An error names the tripwire and the part that is wrong.
func TestErrors(t *testing.T) {
	for pattern, want := range map[string]string{
		"@nothing":   `the set "@nothing" is not in "sets"`,
		"a|@nothing": `the set "@nothing" is not in "sets"`,
		"run #thing": `the kind "#thing" is unknown`,
		"run ..x b":  `the gap "x" is no number from 1 to 20`,
		"#url":       "has no words",
		"Run":        "has an empty word or capitals",
		"built-in":   `"built-in" is several words in a text`,
	} {
		_, err := Parse([]byte(`{"sets": {"fillers": ["the"]}, "tripwires": [{"id": "a.b", "patterns": ["` + pattern + `"]}]}`))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"a.b"`) {
			t.Errorf("pattern %q: %v, want an error about a.b: %s", pattern, err, want)
		}
	}
}
