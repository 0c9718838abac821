package input

import (
	"bytes"
	"encoding/json"
	"testing"
)

// White space is removed as encoding/json does it.
func TestWithoutSpace(t *testing.T) {
	for _, text := range []string{`{ "a b\" " : [ 1 ,` + "\t\r\n" + `2 ], "\\" : { } } `, `"x y"`, ` 1 `, `[]`, "[ \"\\\\\\\" \" , null\n]"} {
		var want bytes.Buffer
		if err := json.Compact(&want, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := withoutSpace([]byte(text)); string(got) != want.String() {
			t.Errorf("%s: %s, not %s", text, got, want.String())
		}
	}
}
