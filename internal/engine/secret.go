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

// Secret reads the value of a secret. root is the root of the plan. The value must only
// be used in the environment of a process.
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

// A shorter value occurs by chance in many words: replacing it would make logs unreadable
// and not protect it.
const minRedacted = 4

// redacted replaces secrets in logs.
const redacted = "[secret]"

// hidden lists the texts to replace: the value of each secret, and each of its lines. The
// longest come first, because one may contain another.
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

// redact replaces the values of secrets in a log. It does not recognize encoded values.
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

// redactBelow replaces the values of secrets in a file, or in all files of a directory,
// inside a stage's directory. It uses os.Root, because a process that outlived its stage
// could replace a file by a symbolic link at the same time.
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
