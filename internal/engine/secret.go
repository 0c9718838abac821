package engine

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// Secret reads a secret's value at the moment it is needed; root is the plan's.
// It goes into a process's environment and nowhere else.
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
		b, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		return strings.TrimRight(string(b), "\r\n"), nil
	default:
		return "", fmt.Errorf("%q is not a reference; write env:NAME or file:PATH", s.From)
	}
}

// A value shorter than this is in every other word: replacing it would make
// logs unreadable and hide nothing.
const minRedacted = 4

// redacted stands in logs where a secret stood.
const redacted = "[secret]"

// hidden lists what must not be in what is kept: the value of each secret as a
// whole and line by line, longest first, since one may hold another.
func hidden(secrets []string) (values []string) {
	for _, s := range secrets {
		for _, v := range append(strings.Split(s, "\n"), s) {
			if v = strings.TrimSpace(v); len(v) >= minRedacted {
				values = append(values, v)
			}
		}
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return values
}

// redactText replaces the values of secrets in a message.
func redactText(text string, secrets []string) string {
	for _, v := range hidden(secrets) {
		text = strings.ReplaceAll(text, v, redacted)
	}
	return text
}

// redact replaces the values of secrets in a log. It cannot know what a command
// encodes before it prints.
func redact(file string, secrets []string) error {
	values := hidden(secrets)
	if len(values) == 0 {
		return nil
	}
	log, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(file, redactBytes(log, values), 0o600)
}

func redactBytes(content []byte, values []string) []byte {
	for _, v := range values {
		content = bytes.ReplaceAll(content, []byte(v), []byte(redacted))
	}
	return content
}

// redactBelow replaces the values of secrets in a file, or in all files of a
// directory, inside a stage's directory. It goes through os.Root: a process
// that outlived its stage could put a link in the place of a file meanwhile.
func redactBelow(box, file string, secrets []string) error {
	values := hidden(secrets)
	if len(values) == 0 {
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
		return root.WriteFile(rel, redactBytes(content, values), 0o600)
	})
}
