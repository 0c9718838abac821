package buildversion

import "testing"

func TestPublished(t *testing.T) {
	for v, want := range map[string]string{
		"v0.2.0":                               "0.2.0",
		"v1.0.0-rc.1":                          "1.0.0-rc.1",
		"(devel)":                              "",
		"":                                     "",
		"v0.0.0-20261122215432-144b00a0e2a1":   "",
		"v0.2.1-0.20261122215432-144b00a0e2a1": "",
		"v0.2.0+dirty":                         "",
		"v0.0.0-20261122215432-144b00a0e2a1+dirty": "",
	} {
		if got := published(v); got != want {
			t.Errorf("%q: %q, want %q", v, got, want)
		}
	}
}
