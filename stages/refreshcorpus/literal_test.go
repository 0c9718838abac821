package refreshcorpus

import (
	"strings"
	"testing"
)

// A file that is nested as deeply as its size allows must not crash the process.
func TestParseUpstreamsDeep(t *testing.T) {
	for _, open := range []string{"[", "(", "{", "!", "-", "a?", "\"${", "a.", "[for x in ", "a {"} {
		text := "x = " + strings.Repeat(open, (maxUpstreams-8)/len(open))
		if _, err := parseUpstreams("u.hcl", []byte(text)); err == nil {
			t.Errorf("%q repeated was accepted", open)
		}
	}
}
