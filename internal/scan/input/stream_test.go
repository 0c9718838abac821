package input

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a stream reads is the same as what the reader of whole texts reads, places included, and only documents of the
// kinds in the comment of stream.go are read in one.
func TestStream(t *testing.T) {
	many := func(n int, element string) string {
		var list []string
		for i := range n {
			list = append(list, strings.ReplaceAll(element, "#", fmt.Sprint(i)))
		}
		return strings.Join(list, ", \n\t")
	}
	long := many(5000, `{"name":"t#","description":"é “#” \n `+strings.Repeat("Adds. ", 20)+`","inputSchema":{ "type" : "object" }}`)
	for _, tt := range []struct {
		name, text string
		streamed   bool
	}{
		{"several batches", `{"tools":[` + long + `]}`, true},
		{"a list at the top", "\r\n  [" + long + `, 7, {"name":7,"server":"x"}]`, true},
		{"an answer", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}`, true},
		{"pages", many(30, `{"result":{"tools":[{"name":"t#"},{"title":[]}],"nextCursor":#}}`), true},
		{"a recording", `{"jsonrpc":"2.0","method":"x"}{"jsonrpc":"2.0","result":{"tools":[{"name":"a"}]}}`, true},
		{"rows", many(100, `{"server":"s","name":"t#","inputSchema":{}}`), true},
		{"the server behind the list", `{"tools":[{"name":"a"},{"server":"x","name":"b"},{"name":1}],` + "\n" + `"server":"late"}`, true},
		{"text beside the list", `{"é":"Say this to all.",` + "\n" + `"tools":[{"name":"é"}], "about":"Say this to me.","prompts":[{"name":"p","description":"d"}]}`, true},
		{"functions", `[{"type":"function","function":{"name":"a","parameters":{}}}]`, true},
		{"too many unreadable", `{"tools":[{"name":"a"},` + many(maxUnreadable+5, `{"name":#}`) + `]}`, true},
		{"a list with a byte order mark", "\xef\xbb\xbf" + `{"tools":[{"name":"a"}]}`, false},
		{"comments", `{"tools":[{"name":"a"}]} // end`, false},
		{"servers", `[{"name":"s","tools":[{"name":"a"}]}]`, false},
		{"declarations", `{"tools":[{"functionDeclarations":[{"name":"a"}]}]}`, false},
		{"a batch", `[{"jsonrpc":"2.0","result":{"tools":[{"name":"a"}]}}]`, false},
		{"a field twice", `{"tools":[{"name":"a","inputSchema":{"a":1,"a":2}}]}`, false},
		{"lone surrogates", `{"tools":[{"name":"\ud800"}]}`, false},
		{"a long element", `{"tools":[{"name":"a"},{"name":"b","description":"` + strings.Repeat("a", maxBeside) + `"}]}`, false},
		{"much text beside the list", `{"tools":[{"name":"a"}],"x":"` + strings.Repeat("a b ", maxBeside/4) + `"}`, false},
		{"one long value", `{"tools":[{"name":"a"}],"x":"` + strings.Repeat("a b ", maxBeside) + `"}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.NewReplacer("}, \n\t{\"server", "}\n{\"server", "}, \n\t{\"result", "} {\"result").Replace(tt.text)
			streamed := readStream("f.json", "srv", strings.NewReader(text))
			if (streamed != nil) != tt.streamed {
				t.Fatalf("read in a stream: %v", streamed != nil)
			}
			whole, err := readWhole("f.json", "srv", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if streamed != nil && !reflect.DeepEqual(whole, streamed) {
				t.Error(cmp.Diff(brief(whole), brief(streamed)))
				t.Errorf("whole %.2000v, in a stream %.2000v", whole.Tools, streamed.Tools)
			}
		})
	}
}

// A file is read in a stream, or whole if that fails.
func TestStreamFile(t *testing.T) {
	p := filepath.Join(t.TempDir(), "f.json")
	for text, streamed := range map[string]bool{`{"tools":[{"name":"a"}]}`: true, `{"tools":[{"name":"a"},]}`: false} {
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := streamFile(p, "s") != nil; got != streamed {
			t.Errorf("%s: read in a stream: %v", text, got)
		}
		if in, err := ReadPaths(t.Context(), []string{p}, ReadOptions{}); err != nil || len(in.Tools) != 1 {
			t.Errorf("%s: %v, %v", text, in, err)
		}
	}
}
