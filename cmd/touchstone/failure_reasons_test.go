package main

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestParseReason(t *testing.T) {
	files := []string{"data/golden_v1.json", "data"}
	for _, tc := range []struct {
		line string
		want contracts.Reason
	}{
		{"touchstone: data/golden_v1.json:17:6: entry q1: is 9", contracts.Reason{File: "data/golden_v1.json", Line: 17, Column: 6, Message: "entry q1: is 9"}},
		{"data/golden_v1.json:17: is 9", contracts.Reason{File: "data/golden_v1.json", Line: 17, Message: "is 9"}},
		{"data/golden_v1.json: and 3: more", contracts.Reason{File: "data/golden_v1.json", Message: "and 3: more"}},
		{"data/golden_v1.json:-4: no", contracts.Reason{File: "data/golden_v1.json", Message: "-4: no"}},
		{"data/golden_v1.json:99999999999: no", contracts.Reason{File: "data/golden_v1.json", Message: "99999999999: no"}},
	} {
		if got, ok := parseReason(tc.line, files); !ok || got != tc.want {
			t.Errorf("%q is %+v, %v", tc.line, got, ok)
		}
	}
	for _, line := range []string{"", "data/golden_v1.json:", "data/golden_v1.json:3:4:", "other.json:3:4: no", "xdata/golden_v1.json:3: no", "297 problems"} {
		if got, ok := parseReason(line, files); ok {
			t.Errorf("%q is %+v", line, got)
		}
	}
}

func FuzzParseReason(f *testing.F) {
	f.Add("touchstone: a.json:17:6: entry q1: is 9")
	f.Add("a.json:1: x")
	f.Fuzz(func(t *testing.T, line string) {
		r, ok := parseReason(line, []string{"a.json"})
		if ok && (r.File != "a.json" || r.Line < 0 || r.Column < 0 || r.Column > 0 && r.Line == 0 || r.Message == "" || !strings.Contains(line, r.Message)) {
			t.Errorf("%q is %+v", line, r)
		}
	})
}

func TestSourceNamesReplaceWholePaths(t *testing.T) {
	names := sourceNames{{"in/golden.json", "data/golden_v1.json"}, {"in/dir", "adapters"}}
	for text, want := range map[string]string{
		"in/golden.json:3: no":            "data/golden_v1.json:3: no",
		"read in/golden.json.":            "read data/golden_v1.json.",
		"(in/golden.json)in/golden.json":  "(data/golden_v1.json)data/golden_v1.json",
		"in/golden.jsonl, in/golden.json": "in/golden.jsonl, data/golden_v1.json",
		"main/golden.json /in/dir":        "main/golden.json /in/dir",
		"exec in/dir/nope in/directory":   "exec adapters/nope in/directory",
		"in/dir":                          "adapters",
		"":                                "",
	} {
		if got := names.replace(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestDistinctReasons(t *testing.T) {
	got := distinctReasons([]contracts.Reason{
		{Stage: "s[run=1]", Message: "a"}, {Stage: "s[run=2]", Message: "a"}, {Stage: "t", Message: "a"}, {Stage: "s[run=2]", Message: "a", Line: 3},
	})
	if len(got) != 3 || got[0].Stage != "s[run=1]" {
		t.Errorf("%+v", got)
	}
}
