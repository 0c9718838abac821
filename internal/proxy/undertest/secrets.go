package undertest

import (
	"os"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// The patterns of secrets: tokens of well-known services, and values that follow a name
// such as api_key.
var (
	secretToken = lazyregexp.New(`\b(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)`)
	secretNamed = lazyregexp.New(`(?i)((?:api[_-]?key|access[_-]?key|token|secret|passw(?:or)?d|credential|authorization)["']?\s*[:=]\s*["']?(?:bearer\s+|basic\s+)?)([^\s"',;&]{4,})`)
	secretName  = lazyregexp.New(`(?i)key|token|secret|passw|credential|auth`)
)

const masked = "(masked)"

// mask hides what maskKnown hides, and values that follow a name for a secret.
func mask(text string) string {
	return secretNamed().ReplaceAllString(maskKnown(text), "${1}"+masked)
}

// maskKnown hides tokens of well-known services, and the values of this process's
// environment variables that are named like secrets, because the proxy inherits them.
func maskKnown(text string) string {
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) >= 8 && secretName().MatchString(name) {
			text = strings.ReplaceAll(text, value, masked)
		}
	}
	return secretToken().ReplaceAllString(text, masked)
}
