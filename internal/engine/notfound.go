package engine

import (
	"path"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// shells find other programs by themselves.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "busybox"}

// commandNotFound is the exit status of a shell that does not find a program.
const commandNotFound = 127

// notFound returns a possible reason for an exit status, or "": a shell that did not find a program.
func notFound(in *pipeline.Instance, code int) string {
	if code != commandNotFound || !slices.Contains(shells, path.Base(in.Command[0])) {
		return ""
	}

	hint := "the shell did not find a program; if it is on this machine, declare its directory in env.PATH"
	for _, word := range in.Command[1:] {
		if slices.Contains(strings.Fields(word), "touchstone") {
			hint += `; a shell does not find touchstone, which is not in the PATH of stages: write command = ` +
				`["touchstone", ...], with stdin and stdout in the place of redirections`
			break
		}
	}
	return hint
}
