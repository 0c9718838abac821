package undertest

import (
	"io"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestCanonical(t *testing.T) {
	same := [][2]string{
		{`{"b":1,"a":2}`, `{ "a" : 2, "b" : 1 }`},
		{`{"x":1.0}`, `{"x":1}`},
		{`{"x":1e2}`, `{"x":100}`},
		{`"\u003ca\u003e"`, `"<a>"`},
		{`9007199254740993`, `9007199254740992`}, // one double
		{``, `null`},
	}
	for _, pair := range same {
		a, errA := canonical([]byte(pair[0]))
		b, errB := canonical([]byte(pair[1]))
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%s and %s: %s (%v) and %s (%v)", pair[0], pair[1], a, errA, b, errB)
		}
	}
	other := [][2]string{
		{`[1,2]`, `[2,1]`},
		{`{"a":null}`, `{}`},
		{`"a"`, `"a "`},
		{`1`, `"1"`},
	}
	for _, pair := range other {
		a, _ := canonical([]byte(pair[0]))
		b, _ := canonical([]byte(pair[1]))
		if string(a) == string(b) {
			t.Errorf("%s and %s are the same: %s", pair[0], pair[1], a)
		}
	}
	for _, bad := range []string{`{`, `{} {}`, `NaN`} {
		if _, err := canonical([]byte(bad)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestDifferences(t *testing.T) {
	one := contracts.IndexedTool{ToolID: "s:one", DescriptionSHA256: "d", SchemaSHA256: "s"}
	two := contracts.IndexedTool{ToolID: "s:two", DescriptionSHA256: "d", SchemaSHA256: "s"}
	changed := contracts.IndexedTool{ToolID: "s:two", DescriptionSHA256: "x", SchemaSHA256: "y"}
	type list = []contracts.IndexedTool
	for _, tc := range []struct {
		name      string
		want, got list
		lines     string
	}{
		{"equal", list{one, two}, list{one, two}, ""},
		{"both empty", nil, nil, ""},
		{"nothing indexed", list{one, two}, nil, "s:one: missing|s:two: missing"},
		{"first missing", list{one, two}, list{two}, "s:one: missing"},
		{"more than expected", list{one}, list{one, two}, "s:two: not expected"},
		{"listed twice", list{one, two}, list{one, one, two}, "s:one: listed twice"},
		{"unexpected twice", nil, list{one, one}, "s:one: not expected|s:one: listed twice"},
		{"changed", list{one, two}, list{one, changed}, "s:two: different description and schema"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := strings.Join(Differences(tc.want, tc.got), "|"); got != tc.lines {
				t.Errorf("got %s, want %s", got, tc.lines)
			}
		})
	}
}

func TestShorten(t *testing.T) {
	text := Shorten(strings.Split(strings.Repeat("x ", 49)+"x", " "))
	if !strings.HasSuffix(text, "and 30 more") || strings.Count(text, "\n") != 20 {
		t.Errorf("got %s", text)
	}
	// The lines contain names from a proxy.
	if text := Shorten([]string{"s:t\n::error::\x1b[2J" + strings.Repeat("x", 10_000)}); strings.ContainsAny(text, "\n\x1b") || len(text) > 1000 {
		t.Errorf("got %q", text)
	}
}

// The limit on a message must not limit the total output of a proxy.
func TestMessages(t *testing.T) {
	for size, fails := range map[int]bool{9: false, 10: false, 200: true} {
		text := strings.Repeat(strings.Repeat("x", 10)+"\n", 5) + strings.Repeat("y", size) + "\n"
		for _, chunk := range []int{1, 7, 64} {
			got, err := io.ReadAll(&messages{from: inPieces(text, chunk), most: 10})
			if (err != nil) != fails || !fails && string(got) != text {
				t.Errorf("%d bytes by %d: %q, %v", size, chunk, got, err)
			}
		}
	}
}

// inPieces returns a text in pieces.
func inPieces(text string, size int) io.Reader {
	var pieces []io.Reader
	for len(text) > 0 {
		n := min(size, len(text))
		pieces = append(pieces, strings.NewReader(text[:n]))
		text = text[n:]
	}
	return io.MultiReader(pieces...)
}

func TestLogTail(t *testing.T) {
	var log logBuffer
	for range 5000 {
		_, _ = log.Write([]byte("a line of the log\n"))
	}
	_, _ = log.Write([]byte("the \x1b[2J end\u202e"))
	tail := log.tail()
	if !strings.HasSuffix(tail, `  the \u001b[2J end\u202e`) || !strings.Contains(tail, "earlier lines omitted") {
		t.Errorf("got %s", tail)
	}
	if n := strings.Count(tail, "\n"); n != tailLines {
		t.Errorf("%d lines", n)
	}
	if len(log.data) > 8*tailBytes {
		t.Errorf("%d bytes are kept", len(log.data))
	}
}

func TestMask(t *testing.T) {
	t.Setenv("SOME_SERVICE_KEY", "value-from-outside")
	for text, want := range map[string]string{
		"token: abcdefgh":                           "token: (masked)",
		`{"apiKey":"abcdefgh","n":1}`:               `{"apiKey":"(masked)","n":1}`,
		"Authorization: Bearer abc.def.ghi":         "Authorization: Bearer (masked)",
		"using ghp_0123456789abcdefghijABCDEFGHIJ.": "using (masked).",
		"got value-from-outside here":               "got (masked) here",
		"tokens counted: 12 in 3 queries":           "tokens counted: 12 in 3 queries",
		"the key of the door":                       "the key of the door",
	} {
		if got := mask(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func FuzzMaskAndTail(f *testing.F) {
	f.Add([]byte("api_key=abcdef\n\xff\x1b[0m"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var log logBuffer
		_, _ = log.Write(data)
		for _, r := range log.tail() {
			if r < ' ' && r != '\n' && r != '\t' {
				t.Fatalf("a live control character %q", r)
			}
		}
	})
}
