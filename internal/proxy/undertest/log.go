package undertest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// Limits of the part of a log that messages show.
const (
	tailLines = 25
	tailBytes = 8 << 10
)

var loopbackPort = lazyregexp.New(`(127\.0\.0\.1|\[::1\]|localhost):\d+`)

// logBuffer keeps the end of a process's output.
type logBuffer struct {
	mu   sync.Mutex
	data []byte
	cut  bool
	// secrets are values that were passed to the proxy and must not be shown.
	secrets []string
}

// keep adds a secret to mask in shown text, unless it is empty.
func (l *logBuffer) keep(secret string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if secret != "" {
		l.secrets = append(l.secrets, secret)
	}
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.data = append(l.data, p...)
	if len(l.data) > 4*tailBytes {
		l.data = append([]byte(nil), l.data[len(l.data)-2*tailBytes:]...)
		l.cut = true
	}
	return len(p), nil
}

// text returns the kept output unchanged.
func (l *logBuffer) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.data)
}

// hide masks the secrets in text. It also finds secrets that are quoted, and secrets
// of which a shortened message only contains the beginning.
func (l *logBuffer) hide(text string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.secrets {
		quoted := strconv.Quote(s)
		quoted = quoted[1 : len(quoted)-1]
		for _, form := range []string{s, quoted} {
			text = strings.ReplaceAll(text, form, masked)
		}

		for n := len(quoted) - 1; n >= 4; n-- {
			text = strings.ReplaceAll(text, quoted[:n]+truncationMark, masked+truncationMark)
		}
	}

	return maskKnown(text)
}

// tail returns the last lines, indented.
func (l *logBuffer) tail() string {
	l.mu.Lock()
	text, cut := string(l.data), l.cut
	l.mu.Unlock()
	text = strings.TrimSpace(mask(l.hide(text)))
	if text == "" {
		return ""
	}

	lines := strings.Split(text, "\n")
	if cut && len(lines) > 1 {
		lines = lines[1:] // the first line is incomplete
	}

	if n := len(lines) - tailLines; n > 0 {
		lines, cut = lines[n:], true
	}

	size := 0
	for i := len(lines) - 1; i >= 0; i-- {
		if size += len(lines[i]) + 1; size > tailBytes && i < len(lines)-1 {
			lines, cut = lines[i+1:], true
			break
		}
	}

	var b strings.Builder
	if cut {
		b.WriteString("  (earlier lines omitted)\n")
	}

	for _, line := range lines {
		fmt.Fprintf(&b, "  %s\n", printable(line))
	}

	return strings.TrimSuffix(b.String(), "\n")
}
