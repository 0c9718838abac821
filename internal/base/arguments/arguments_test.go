package arguments

import (
	"testing"

	"github.com/spf13/cobra"
)

func TestErrors(t *testing.T) {
	cmd := &cobra.Command{Use: "tool"}
	for _, c := range []struct {
		check cobra.PositionalArgs
		args  []string
		want  string
	}{
		{None, nil, ""},
		{None, []string{"a", "b"}, `unknown command "a" for "tool"`},
		{Exactly(1), []string{"a"}, ""},
		{Exactly(1), nil, "needs 1 argument, but got 0"},
		{Exactly(2), []string{"a"}, "needs 2 arguments, but got 1"},
		{AtLeast(1), []string{"a", "b"}, ""},
		{AtLeast(1), nil, "needs at least 1 argument, but got 0"},
		{AtMost(1), nil, ""},
		{AtMost(1), []string{"a", "b"}, "takes at most 1 argument, but got 2"},
		{Between(1, 2), []string{"a", "b", "c"}, "takes 1 to 2 arguments, but got 3"},
	} {
		got := ""
		if err := c.check(cmd, c.args); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.args, got, c.want)
		}
	}
}
