package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// secret reads a secret's value at the moment it is needed. It goes into the
// process's environment and nowhere else.
func (r *run) secret(s pipeline.Secret) (string, error) {
	kind, from, _ := strings.Cut(s.From, ":")
	switch kind {
	case "env":
		v, ok := r.LookupEnv(from)
		if !ok {
			return "", fmt.Errorf("the environment variable %s is not set; set it before the run", from)
		}
		return v, nil
	case "file":
		if !filepath.IsAbs(from) {
			from = filepath.Join(r.plan.Root, from)
		}
		b, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		return strings.TrimRight(string(b), "\r\n"), nil
	default:
		return "", fmt.Errorf("%q is not a reference; write env:NAME or file:PATH", s.From)
	}
}
