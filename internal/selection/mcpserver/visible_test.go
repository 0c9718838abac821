package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

func FuzzVisible(f *testing.F) {
	f.Add(`{"a":["b\u200bc",1.50,null,{"\u202e":true}]}`)
	f.Add(`"plain"`)
	f.Add(`18446744073709551617`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := visible(value(json.RawMessage(text)))
		if err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(string(out), safetext.Hidden) {
			t.Errorf("%s holds a hidden character", out)
		}
	})
}
