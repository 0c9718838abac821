package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzRead checks that every file is either read or refused with a place and a
// remedy.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","description":"A","inputSchema":{"x":[1]}}],"nextCursor":"2"}}`,
		`[{"server":"s","tool":"a","title":"t","annotations":7},{"name":"b","name":"c"}]`,
		`{"mcpServers":{"x":{"command":"a","args":["${env:B}"],"env":{"C":1},},}} // end`,
		`{"before":"Always read this one.","result":{"tools":[{"name":"a"},{"name":1},7],"nextCursor":2},` + "\n" + `"instructions":"Read é."} {"tool":"b"}`,
		`{"servers":{"x":{"url":"http://u:p@h/?a=b"}},"mcp":{"servers":{}}}`,
		"\xef\xbb\xbf{\"error\":{\"message\":\"\xff\"},\"jsonrpc\":\"2.0\"} {}", `{"tools":[`, `[[[[`, `{"a":"\`, `/*`, "\xff\xfe",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := Read("f.json", "s", text)
		if streamed := readStream("f.json", "s", bytes.NewReader(text)); streamed != nil {
			if whole, err := readWhole("f.json", "s", text); err != nil || !reflect.DeepEqual(whole, streamed) {
				t.Fatalf("in a stream it has %+v, and whole %+v, %v", streamed, whole, err)
			}
		}

		if err != nil {
			var bad *InputError
			if !errors.As(err, &bad) || bad.Reason == "" || bad.Remedy == "" || bad.Place.File == "" {
				t.Fatalf("%#v", err)
			}
			if bad.Place.Line > 1+bytes.Count(text, []byte("\n")) || bad.Column > len(text)+1 {
				t.Fatalf("%v is outside of the file", bad)
			}
			return
		}
		for _, tl := range in.Tools {
			for _, raw := range []json.RawMessage{tl.InputSchema, tl.OutputSchema, tl.Annotations} {
				if len(raw) > 0 && !json.Valid(raw) {
					t.Fatalf("%q is not JSON", raw)
				}
			}
			if !utf8.ValidString(tl.Name + tl.Description + tl.Server) {
				t.Fatal("invalid UTF-8")
			}
		}
		for _, s := range in.Servers {
			_ = s.Display()
			_, _ = s.expanded()
		}
	})
}

func FuzzSplitCommand(f *testing.F) {
	f.Add(`npx -y 'a b' "c\"d" e\ f --token=x https://u:p@h/?k=v`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := SplitCommand(line)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, QuoteWord(w))
		}
		again, err := SplitCommand(strings.Join(quoted, " "))
		if err != nil || strings.Join(again, "\x00") != strings.Join(words, "\x00") {
			t.Fatalf("%q, quoted and split again %q, %v", words, again, err)
		}
		_ = Server{Command: words}.Display()
	})
}
