package mcpclient

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestJSONLines(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "",
		"{\"a\":1}\n[{}]\n": "{\"a\":1}\n[{}]\n",
		"Server running\n{\"a\":1}\r\n\n{half\n  {}  ": "{\"a\":1}\n{}\n",
		"7\n\"text\"\nnull\n{} {}\n":                   "",
		strings.Repeat("x", 200_000) + "\n{}\n":        "{}\n",
	} {
		for _, wrap := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.DataErrReader, iotest.HalfReader} {
			got, err := io.ReadAll(newJSONLines(io.NopCloser(wrap(strings.NewReader(in))), nil))
			if err != nil || string(got) != want {
				t.Errorf("%.40q: got %q, %v, want %q", in, got, err, want)
			}
		}
	}
}

// An error that answers no request is no message for the client, and people can read it.
func TestErrorsThatAnswerNothing(t *testing.T) {
	messages := `{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}
{"jsonrpc":"2.0","id":"a","result":{"error":null}}
{"jsonrpc":"2.0","method":"notifications/message","params":{"error":1}}
[{"jsonrpc":"2.0","error":{}}]
`
	unasked := `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}
{"jsonrpc":"2.0","error":{}}
`
	var other strings.Builder
	got, err := io.ReadAll(JSONRPCLines(io.NopCloser(strings.NewReader(unasked+messages)), &other, 1<<20))
	if err != nil || string(got) != messages || other.String() != unasked {
		t.Errorf("got %q and %q, %v", got, other.String(), err)
	}
}

func FuzzJSONLines(f *testing.F) {
	f.Add("hello\n{\"a\":1}\n[1,\n{}")
	f.Fuzz(func(t *testing.T, in string) {
		out, err := io.ReadAll(newJSONLines(io.NopCloser(iotest.HalfReader(strings.NewReader(in))), nil))
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for line := range strings.SplitSeq(in, "\n") {
			line = strings.TrimSpace(line)
			if json.Valid([]byte(line)) && strings.IndexAny(line, "{[") == 0 {
				want.WriteString(line + "\n")
			}
		}
		if string(out) != want.String() {
			t.Errorf("got %q, want %q", out, want.String())
		}
	})
}
