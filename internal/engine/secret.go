package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/base/redact"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Secret reads the value of a secret. root is the root of the plan. The value must only
// be used in the environment of a process, and to remove it from text.
func (e *Engine) Secret(root string, s pipeline.Secret) (string, error) {
	kind, from, _ := strings.Cut(s.From, ":")
	switch kind {
	case "env":
		v, ok := e.LookupEnv(from)
		if !ok {
			return "", fmt.Errorf("the environment variable %s is not set; set it before the run", from)
		}

		return v, nil
	case "file":
		if !filepath.IsAbs(from) {
			from = filepath.Join(root, from)
		}

		b, err := readlimit.File(context.Background(), from, readlimit.MaxSecret)
		if err != nil {
			return "", err
		}

		return strings.TrimRight(string(readlimit.WithoutMark(b)), "\r\n"), nil
	default:
		return "", fmt.Errorf("%q is not a reference; write env:NAME or file:PATH", s.From)
	}
}

// HideSecrets removes the secrets of all stages from the text that leaves the engine, as far as
// they can be read now. A command that runs nothing prints what earlier runs recorded.
func (e *Engine) HideSecrets(plan *pipeline.Plan) {
	for _, in := range plan.Instances {
		for _, s := range in.Secrets {
			if v, err := e.Secret(plan.Root, s); err == nil {
				e.Hidden.Add(v)
			}
		}
	}
}

// redactError removes the values of secrets from an error's message, and keeps what the error is.
func (r *run) redactError(err error) error {
	if err == nil || !r.hidden.Holds(err.Error()) {
		return err
	}
	return &redactedError{r.hidden.Text(err.Error()), err}
}

// redactedError is an error whose message must not be printed.
type redactedError struct {
	message string
	err     error
}

func (e *redactedError) Error() string { return e.message }

// Is and As look at the error, so that callers recognize it. There is no Unwrap, which
// would hand out the message.
func (e *redactedError) Is(target error) bool { return errors.Is(e.err, target) }
func (e *redactedError) As(target any) bool   { return errors.As(e.err, target) }

// hideAll removes the values of secrets from texts.
func (r *run) hideAll(texts []string) []string {
	if r.hidden.Empty() {
		return texts
	}
	texts = slices.Clone(texts)
	for i := range texts {
		texts[i] = r.hidden.Text(texts[i])
	}
	return texts
}

// redactLog removes the values of secrets from a log.
func redactLog(file string, hidden *redact.Set) error {
	if hidden.Empty() {
		return nil
	}

	log, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	if err != nil {
		return err
	}

	defer log.Close()
	return replaceFile(file+".public", file, func(w io.Writer) error { return hidden.Copy(w, log) }, 0o600)
}

// publicNames returns an error if the name of a file in an output holds the value of a
// secret. Names are printed, and stored as they are: a name without the secret would be
// another output.
func publicNames(dir string, hidden *redact.Set) error {
	if hidden.Empty() {
		return nil
	}

	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}

		if e.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}

			name += " -> " + to
		}

		if hidden.Holds(filepath.ToSlash(name)) {
			return fmt.Errorf("the name of %s holds the value of a secret, and names are printed; give the file "+
				"another name", hidden.Text(name))
		}

		return nil
	})
}

// redactBelow replaces the values of secrets in a file, or in all files of a directory,
// inside a stage's directory. It uses os.Root, because a process that outlived its stage
// could replace a file by a symbolic link at the same time.
func redactBelow(box, file string, hidden *redact.Set) error {
	if hidden.Empty() {
		return nil
	}

	root, err := os.OpenRoot(box)
	if err != nil {
		return err
	}

	defer root.Close()
	return filepath.WalkDir(file, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}

		rel, err := filepath.Rel(box, path)
		if err != nil {
			return err
		}

		content, err := root.ReadFile(rel)
		if err != nil {
			return err
		}

		return root.WriteFile(rel, hidden.Bytes(content), 0o600)
	})
}
