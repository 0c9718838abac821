package engine

import (
	"slices"
	"strings"
	"testing"
)

// TestDiffFileIgnoresNotation compares files that a program wrote again in another notation.
func TestDiffFileIgnoresNotation(t *testing.T) {
	before := `{"version": "v1", "queries": [{"id": "q1", "query": "caf\u00e9 <b>", "n": 1}, {"id": "q2", "query": "tea"}]}`
	after := "{\"version\":\"v1\",\n\"queries\":[{\"n\":1,\"id\":\"q1\",\"query\":\"café \\u003cb>\"},\n{\"id\":\"q2\",\"query\":\"coffee\"}]}"
	if got, want := diffFile([]byte(before), []byte(after)), []string{"line 3: queries[q2] edited (query)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDiffFileStrict compares JSON that a lenient reader takes for the same.
func TestDiffFileStrict(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{`{"a": 1, "b": 2}`, `{"a": 2, "a": 1, "b": 2}`, "line 1: a edited|line 1: a added"},
		{`{"a": 1, "a": 2}`, `{"a": 2}`, "from line 1: 1 line became 1"},
		{`{"o": {"a": 1, "b": 2}}`, `{"o": {"a": 2, "a": 1, "b": 2}}`, "line 1: o edited"},
		{`{"o": {"p": {"a": 1}}}`, `{"o": {"p": {"a": 2, "a": 1}}}`, "line 1: o edited (p)"},
		{`[{"a": 1}]`, `[{"a": 2, "a": 1}]`, "from line 1: 1 line became 1"},
		{`{"a": "\ud800"}`, `{"a": "\ud801"}`, "line 1: a edited"},
		{`{"\ud800": 1}`, `{"\ud801": 1}`, "from line 1: 1 line became 1"},
		{`["\ud800"]`, `["\ud801"]`, "from line 1: 1 line became 1"},
		{`{"l": [], "n": 1}`, `{"n": 1}`, "from line 1: 1 line became 1"},
		{`{"l[0]": 1}`, `{"l": [1]}`, "from line 1: 1 line became 1"},
		{`{"a": "\ud83d\ude00", "b": 1}`, `{"b":1,"a":"😀"}`, sameEntries},
	} {
		if got := strings.Join(diffFile([]byte(c.before), []byte(c.after)), "|"); got != c.want {
			t.Errorf("%s became %s: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

// TestDiffFileSequence compares JSON values that follow each other.
func TestDiffFileSequence(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{`{"a":1}|{"a":2}`, `{"a":1}|{"a":3}`, "line 2: edited (a)"},
		{`{"a":1}|{"a":2}|`, `{"a":2}|{"a":1}|`, sameEntries},
		{`{"a":1}|{"a":2}|`, `{"a": 1}||{"a":2}|`, sameEntries},
		{`{"a":1}|`, `{"a":1}|{"a":2}|`, "line 2: added"},
		{`{"a":1}|{"a":2}|`, `{"a":1}|`, "a value removed (was line 2)"},
		{`{"a":1}|{"a":2}|{"a":1}|`, `{"a":2}|{"a":1}|`, "a value removed (was line 1)"},
		{`{"a":1}|{"a":2}|{"a":3}|`, `{"a":0}|{"a":1}|{"a":4}|{"a":3}|{"a":5}|`,
			"line 1: added|line 3: edited (a)|line 5: added"},
		{`{"a":1}|[2]|{"a":3}|`, `[2,0]|{"a":3}|`, "line 1: edited|a value removed (was line 2)"},
		{``, `{"a":1}|{"a":2}|`, "line 1: added|line 2: added"},
		{`{|"a":1}|{|"a":2}|`, `{|"a":1}|{|"a":3}|`, "line 3: edited (a)"},
		{`{"id":"p"}|{"id":"q"}|`, `{"id":"q"}|{"id":"p"}|`, sameEntries},
		{`{"id":"p"}|{"id":"q"}|{"id":"r","n":1}|`, `{"id":"r","n":2}|{"id":"s"}|{"id":"p"}|`,
			"line 1: r edited (n)|line 2: s added|q removed (was line 2)"},
		{`{"id":"p","a":1,"a":2}|{"id":"q"}|`, `{"id":"q"}|{"id":"p","a":1,"a":2}|`, "from line 1: 2 lines became 2"},
		{`{"a":1,"a":2}|{"a":3}|`, `{"a":3}|{"a":1,"a":2}|`, "from line 1: 2 lines became 2"},
		{`{"a":9007199254740993}|{"b":1}|`, `{"a":9007199254740992}|{"b":1}|`, "line 1: edited (a)"},
		{`{"a":1}|{"a":2}|`, `{"a":1}|{"a":2|`, "from line 2: 1 line became 1"},
		{`{"a":1} {"a":2}|3`, `{"a":1} {"a":3}|3`, "from line 1: 1 line became 1"},
		{`1|2|`, `1|3|`, "from line 2: 1 line became 1"},
	} {
		lines := func(s string) []byte { return []byte(strings.ReplaceAll(s, "|", "\n")) }
		if got := strings.Join(diffFile(lines(c.before), lines(c.after)), "|"); got != c.want {
			t.Errorf("%s became %s: %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

// FuzzDiffFile checks that the difference of any two versions is not empty.
func FuzzDiffFile(f *testing.F) {
	whole := `{"version": "v1", "queries": [{"id": "q1", "n": 1}, 2], "m": {"a": null}}`
	for n := range len(whole) {
		f.Add([]byte(whole), []byte(whole[:n]))
	}
	f.Add([]byte(`{"a":[],"a":[1,1]}`), []byte("{\"a\" :\n,[]"))
	f.Add([]byte("{\"a\":1}\n{\"a\":2}"), []byte("{\"a\":2}\n\n{\"a\":1,\"a\":1}"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if len(diffFile(before, after)) == 0 {
			t.Errorf("nothing is said of %q and %q", before, after)
		}
	})
}
