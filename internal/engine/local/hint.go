package local

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tailSize is how much of the end of a log is searched for a refusal.
const tailSize = 16 << 10

var (
	// What programs print for EACCES, in C and in most languages.
	refusal = regexp.MustCompile(`(?i)permission denied|access denied|\beacces\b|permissionerror`)
	// A path in a message: up to a space, a quote or what punctuation ends.
	pathWord = regexp.MustCompile(`(?:\.\.)?/[^\s'"` + "`" + `<>|;,()\[\]]+`)
)

// undeclared finds in the end of a failed stage's log the path that it was
// refused because it does not declare it. It answers only where a line says
// that something was refused, names what exists, and nothing grants that.
func (s *Sandbox) undeclared(log, dir string, granted []grant) (string, bool) {
	for line := range bytes.Lines(tail(log)) {
		if !refusal.Match(line) {
			continue
		}
		for _, word := range pathWord.FindAllString(string(line), -1) {
			path := strings.TrimRight(word, ":.")
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			if real, err := filepath.EvalSymlinks(path); err == nil && !s.open(real, granted) {
				return path, true
			}
		}
	}
	return "", false
}

func tail(file string) []byte {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	if _, err := f.Seek(-tailSize, io.SeekEnd); err != nil {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil
		}
	}
	b, _ := io.ReadAll(io.LimitReader(f, tailSize))
	return b
}

// open tells whether a stage may at least read a path.
func (s *Sandbox) open(path string, granted []grant) bool {
	return slices.ContainsFunc(slices.Concat(s.roots, granted), func(g grant) bool {
		real, err := filepath.EvalSymlinks(g.path)
		return err == nil && within(path, real)
	})
}
