package failure

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	a, b := errors.New("a.json: no such file"), errors.New("b.hcl: cannot be read:\n  x = ?")
	for want, err := range map[string]error{
		"p: a.json: no such file\n":                                                  a,
		"p: a.json: no such file\np: b.hcl: cannot be read:\n  x = ?\n":              errors.Join(a, b),
		"p: a.json: no such file\np: b.hcl: cannot be read:\n  x = ?\np: 3\n":        fmt.Errorf("%w", errors.Join(errors.Join(a, b), nil, errors.New("3"))),
		"p: scan: a.json: no such file\nb.hcl: cannot be read:\n  x = ?\n":           fmt.Errorf("scan: %w", errors.Join(a, b)),
		"p: a.json: no such file, and b.hcl: cannot be read:\n  x = ?; look again\n": fmt.Errorf("%w, and %w; look again", a, b),
	} {
		var out strings.Builder
		Write(&out, "p", err)
		if out.String() != want {
			t.Errorf("got  %q\nwant %q", out.String(), want)
		}
	}
}
