package sandbox

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// tailSize is the number of bytes at the end of a log that are searched for an access
// error.
const tailSize = 16 << 10

// Phrases of messages, in lower case. With package regexp, all that only waits for it would be initialized before a
// stage runs.
var (
	// The messages for EACCES and EROFS in C and most other languages.
	refusal = []string{"permission denied", "access denied", "eacces", "permissionerror", "read-only file system",
		"erofs"}
	// The message for EAFNOSUPPORT, which a socket of a refused family gives.
	noFamily = []string{"address family not supported", "eafnosupport"}
)

// containsPhrase reports whether a text contains a phrase that is not a part of longer words.
func containsPhrase(text []byte, phrases []string) bool {
	text = bytes.ToLower(text)
	for _, phrase := range phrases {
		for rest := text; ; {
			before, after, found := bytes.Cut(rest, []byte(phrase))
			if !found {
				break
			}

			if !endsInWord(before) && (len(after) == 0 || !isWord(after[0])) {
				return true
			}

			rest = after
		}
	}

	return false
}

func endsInWord(b []byte) bool { return len(b) > 0 && isWord(b[len(b)-1]) }

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// paths lists the paths in a line of a log. A path ends at a space, a quote or punctuation.
func paths(line string) []string {
	var list []string
	for _, word := range strings.FieldsFunc(line,
		func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"`<>|;,()[]", r) }) {
		at := strings.IndexByte(word, '/')
		if at < 0 {
			continue
		}

		if strings.HasSuffix(word[:at], "..") {
			at -= len("..")
		}

		if path := strings.TrimRight(word[at:], ":."); len(path) > 1 {
			list = append(list, path)
		}
	}

	return list
}

// hint returns a possible reason for the failure of a stage: what the sandbox refused it, or
// "" if its log says nothing about that.
func (s *Sandbox) hint(job *Job, confined *confinement) string {
	if slices.Contains(confined.words, enforcedFiles) {
		if path, ok := s.undeclared(job.Command.Stderr, job.Command.Dir, confined.grants); ok {
			return "the sandbox denied access to " + path +
				", which the stage does not declare; if this is the reason, declare it as an input, or use " +
				"--isolation off to find out what else the stage needs"
		}
	}

	if (slices.Contains(confined.words, enforcedUnix) || slices.Contains(confined.words, enforcedSockets)) &&
		containsPhrase(tail(job.Command.Stderr), noFamily) {
		return "the sandbox refused a socket, because the stage declares no network; if it needs Unix sockets or " +
			"servers of its own, declare network = \"loopback\""
	}

	return ""
}

// undeclared searches the end of a failed stage's log for a path that the stage could
// not access because it does not declare it. It only returns a path that occurs in a
// line with an access error, exists, and is not granted to the stage.
func (s *Sandbox) undeclared(log, dir string, granted []grant) (string, bool) {
	open := s.open(granted)
	for line := range bytes.Lines(tail(log)) {
		if !containsPhrase(line, refusal) {
			continue
		}

		for _, path := range paths(string(line)) {
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}

			if real, err := filepath.EvalSymlinks(path); err == nil && !open(real) {
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

// open returns a function that reports whether a stage may at least read a path without links.
func (s *Sandbox) open(granted []grant) func(path string) bool {
	var dirs []string
	for _, g := range slices.Concat(s.roots, granted) {
		if real, err := filepath.EvalSymlinks(g.path); err == nil {
			dirs = append(dirs, real)
		}
	}

	return func(path string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return within(path, dir) })
	}
}
