package local

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

// tailSize is the number of bytes at the end of a log that are searched for an access
// error.
const tailSize = 16 << 10

var (
	// The messages for EACCES and EROFS in C and most other languages.
	refusal = regexp.MustCompile(`(?i)permission denied|access denied|\beacces\b|permissionerror|read-only file system|\berofs\b`)
	// The message for EAFNOSUPPORT, which a socket of a refused family gives.
	noFamily = regexp.MustCompile(`(?i)address family not supported|\beafnosupport\b`)
	// A path in a message ends at a space, a quote or punctuation.
	pathWord = regexp.MustCompile(`(?:\.\.)?/[^\s'"` + "`" + `<>|;,()\[\]]+`)
)

// hint returns a possible reason for the failure of a stage: what the sandbox refused it, or
// "" if its log says nothing about that.
func (s *Sandbox) hint(job *engine.Job, held *confinement) string {
	if slices.Contains(held.words, heldFiles) {
		if path, ok := s.undeclared(job.Stderr, job.Dir, held.grants); ok {
			return "the sandbox denied access to " + path + ", which the stage does not declare; if this is the reason, declare it as an input, or use --isolation off to find out what else the stage needs"
		}
	}
	if (slices.Contains(held.words, heldUnix) || slices.Contains(held.words, heldSockets)) && noFamily.Match(tail(job.Stderr)) {
		return "the sandbox refused a socket, because the stage declares no network; if it needs Unix sockets or servers of its own, declare network = \"loopback\""
	}
	return ""
}

// undeclared searches the end of a failed stage's log for a path that the stage could
// not access because it does not declare it. It only returns a path that occurs in a
// line with an access error, exists, and is not granted to the stage.
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

// open reports whether a stage may at least read a path.
func (s *Sandbox) open(path string, granted []grant) bool {
	return slices.ContainsFunc(slices.Concat(s.roots, granted), func(g grant) bool {
		real, err := filepath.EvalSymlinks(g.path)
		return err == nil && within(path, real)
	})
}
