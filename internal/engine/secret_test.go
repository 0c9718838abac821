package engine

import "testing"

func TestRedactText(t *testing.T) {
	for _, tt := range []struct {
		text    string
		secrets []string
		want    string
	}{
		{"x abcdefgh y", []string{"abcd", "abcdefgh"}, "x [secret] y"},
		{"x abcdefgh y abcd", []string{"abcdefgh", "abcd"}, "x [secret] y [secret]"},
		{"line one, then line two", []string{"line one\n  line two\n"}, "[secret], then [secret]"},
		{"a yes is no secret", []string{"yes", "", "\n"}, "a yes is no secret"},
	} {
		if got := redactText(tt.text, tt.secrets); got != tt.want {
			t.Errorf("%q without %q = %q, want %q", tt.text, tt.secrets, got, tt.want)
		}
	}
}
