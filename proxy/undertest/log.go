package undertest

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Bounds of the part of a log that messages show.
const (
	tailLines = 25
	tailBytes = 8 << 10
)

var loopbackPort = regexp.MustCompile(`(127\.0\.0\.1|\[::1\]|localhost):\d+`)

// logBuffer keeps the end of what a process writes.
type logBuffer struct {
	mu   sync.Mutex
	data []byte
	cut  bool
	// secrets are what the proxy was given to know, and nobody else should.
	secrets []string
}

// keep has a secret masked in what is shown; none when it is empty.
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

// text is what is kept, as it was written.
func (l *logBuffer) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.data)
}

// hide masks what the proxy was given to know, as it is and as a message quotes
// it, and also where the message was cut in the middle of it.
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
			text = strings.ReplaceAll(text, quoted[:n]+cutMark, masked+cutMark)
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
		lines = lines[1:] // begins in the middle
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
		b.WriteString("  (earlier lines left out)\n")
	}
	for _, line := range lines {
		if len(line) > tailBytes {
			line = strings.ToValidUTF8(line[:tailBytes], "") + " (cut)"
		}
		fmt.Fprintf(&b, "  %s\n", printable(line))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// printable escapes what a terminal would obey.
func printable(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Shapes of secrets: what well-known services hand out, and what stands
// behind a name that says so.
var (
	secretToken = regexp.MustCompile(`\b(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)`)
	secretNamed = regexp.MustCompile(`(?i)((?:api[_-]?key|access[_-]?key|token|secret|passw(?:or)?d|credential|authorization)["']?\s*[:=]\s*["']?(?:bearer\s+|basic\s+)?)([^\s"',;&]{4,})`)
	secretName  = regexp.MustCompile(`(?i)key|token|secret|passw|credential|auth`)
)

const masked = "(masked)"

// mask hides what maskKnown does, and what stands behind a name that says that
// it is a secret.
func mask(text string) string {
	return secretNamed.ReplaceAllString(maskKnown(text), "${1}"+masked)
}

// maskKnown hides the values of this process's own environment variables that
// are named like secrets, since the proxy inherits them, and what has the shape
// of a well-known service's.
func maskKnown(text string) string {
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) >= 8 && secretName.MatchString(name) {
			text = strings.ReplaceAll(text, value, masked)
		}
	}
	return secretToken.ReplaceAllString(text, masked)
}
