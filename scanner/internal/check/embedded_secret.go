package check

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkEmbeddedSecret finds keys and tokens in the text of a tool, by the formats of those who issue them.
var checkEmbeddedSecret = Check{embeddedSecretInfo, inspectEmbeddedSecret}

var embeddedSecretInfo = Info{
	ID: "secret.embedded", Tier: Soft, ThreatType: Uncategorized,
	Description: "a key, a token or a password in the text of a definition",
	Why:         "everybody who lists the tools reads it, and every model gets it",
	Do: "Revoke the secret, and ask the author to remove it. " +
		"If it is an example, write one that no service issues.",
}

// A keyFormat is what a service issues: a prefix, and at least min bytes of an alphabet after it.
type keyFormat struct {
	prefix   string
	min      int
	alphabet *char.ByteSet
	what     string
}

var (
	upperDigits  = char.SetOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
	alphanumeric = char.SetOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
	urlSafe      = char.SetOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
)

const signedToken = "a signed token (JWT)"

var keyFormats = []keyFormat{
	{"AKIA", 16, &upperDigits, "an access key of AWS"},
	{"ASIA", 16, &upperDigits, "an access key of AWS"},
	{"ghp_", 36, &alphanumeric, "a token of GitHub"},
	{"gho_", 36, &alphanumeric, "a token of GitHub"},
	{"ghu_", 36, &alphanumeric, "a token of GitHub"},
	{"ghs_", 36, &alphanumeric, "a token of GitHub"},
	{"ghr_", 36, &alphanumeric, "a token of GitHub"},
	{"github_pat_", 40, &urlSafe, "a token of GitHub"},
	{"glpat-", 20, &urlSafe, "a token of GitLab"},
	{"xoxb-", 24, &urlSafe, "a token of Slack"},
	{"xoxp-", 24, &urlSafe, "a token of Slack"},
	{"xoxa-", 24, &urlSafe, "a token of Slack"},
	{"xapp-", 24, &urlSafe, "a token of Slack"},
	{"sk-ant-", 24, &urlSafe, "a key of Anthropic"},
	{"sk-proj-", 24, &urlSafe, "a key of OpenAI"},
	{"sk-", 40, &alphanumeric, "a key of OpenAI"},
	{"sk_live_", 20, &alphanumeric, "a key of Stripe"},
	{"rk_live_", 20, &alphanumeric, "a key of Stripe"},
	{"AIza", 35, &urlSafe, "a key of Google"},
	{"ya29.", 30, &urlSafe, "a token of Google"},
	{"npm_", 36, &alphanumeric, "a token of npm"},
	{"pypi-AgE", 50, &urlSafe, "a token of PyPI"},
	{"hf_", 34, &alphanumeric, "a token of Hugging Face"},
	{"dckr_pat_", 24, &urlSafe, "a token of Docker"},
	{"dop_v1_", 60, &alphanumeric, "a token of DigitalOcean"},
	{"SG.", 40, &urlSafe, "a key of SendGrid"},
	{"shpat_", 32, &alphanumeric, "a token of Shopify"},
	{"lin_api_", 32, &alphanumeric, "a key of Linear"},
	{"eyJhbGciOi", 60, &tokenLetters, signedToken},
}

var tokenLetters = char.SetOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")

// shortestSecret is the number of bytes of the shortest word that may be a secret, with its prefix.
const shortestSecret = 20

// hasLongWord reports whether a text has a word as long as a secret, with a digit in it.
func hasLongWord(text string) bool {
	if len(text) < shortestSecret {
		return false
	}

	start, digit := 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c <= ' ':
			start, digit = i+1, false
		case c >= '0' && c <= '9':
			digit = true
		}

		if digit && i-start >= shortestSecret-1 {
			return true
		}
	}

	return false
}

func inspectEmbeddedSecret(v *reading.Reading, _ *tool.Registry) []Signal {
	for i := range v.AllFields() {
		f := &v.Fields[i]
		if f.Layer != "" || f.Kind == tool.KindPattern || f.Kind == tool.KindJoined {
			continue
		}

		if !hasLongWord(f.Text) {
			continue // most texts
		}

		from, to, what, ok := secretIn(f.Text)
		if v.Analyze(); !ok || what == signedToken && v.NamePurpose().Any(concept.Secret) {
			continue // a tool that reads tokens shows what one looks like
		}

		// Reports are uploaded: they say where the secret is, and not what it is.
		masked := f.Text[:from] + secretShown(f.Text[from:to]) + f.Text[to:]
		return []Signal{Signal{CheckID: embeddedSecretInfo.ID, Tier: Soft, ThreatType: Uncategorized, Confidence: 0.9,
			Detail: v.Where(f) + ": " + what}.quoting(v, f, masked, from, from+len(secretShown(f.Text[from:to])))}
	}

	return nil
}

// secretShown is what a report shows of a secret.
func secretShown(secret string) string {
	const begin = 4
	if len(secret) <= 2*begin {
		return "***"
	}
	return secret[:begin] + "***"
}

// secretIn returns the first secret in a text.
func secretIn(text string) (from, to int, what string, ok bool) {
	if from, to, ok = privateKeyIn(text); ok {
		return from, to, "a private key", true
	}

	for i := range keyFormats {
		k := &keyFormats[i]
		for at := 0; ; {
			next := strings.Index(text[at:], k.prefix)
			if next < 0 {
				break
			}

			from = at + next
			at = from + len(k.prefix)
			if from > 0 && char.IsWord(text[from-1]) {
				continue
			}

			to = at
			for to < len(text) && k.alphabet[text[to]] {
				to++
			}

			if to-at >= k.min && varied(text[at:to]) {
				return from, to, k.what, true
			}
		}
	}

	return passwordInURL(text)
}

// privateKeyIn finds a private key in PEM: its first line, and something of its content.
func privateKeyIn(text string) (from, to int, ok bool) {
	const dashes = "-----"
	from = strings.Index(text, dashes+"BEGIN ")
	if from < 0 {
		return 0, 0, false
	}

	kind, rest, found := strings.Cut(text[from+len(dashes):], dashes)
	if !found || !strings.HasSuffix(kind, "PRIVATE KEY") || len(kind) > 40 {
		return 0, 0, false
	}

	content := strings.TrimLeft(rest, " \r\n\\nt")
	n := 0
	for n < len(content) && (alphanumeric[content[n]] || strings.IndexByte("+/=\r\n\\", content[n]) >= 0) {
		n++
	}

	return from, len(text) - len(content) + n, n >= 40 && varied(content[:n])
}

// passwordInURL finds an address with the password of a database or a server in it.
func passwordInURL(text string) (from, to int, what string, ok bool) {
	for at := 0; ; {
		next := strings.Index(text[at:], "://")
		if next < 0 {
			return 0, 0, "", false
		}

		from = at + next + len("://")
		at = from
		for to = from; to < len(text) && strings.IndexByte(" \t\n\"'`<>()[]{}/?#", text[to]) < 0; to++ {
		}

		user, _, hasHost := strings.Cut(text[from:to], "@")
		name, password, has := strings.Cut(user, ":")
		if hasHost && has && name != "" && len(password) >= 12 && varied(password) && mixed(password) {
			from += len(name) + 1
			return from, from + len(password), "a password in an address", true
		}
	}
}

// varied reports whether a text has as many different characters as a secret: a placeholder such as xxxx has few.
func varied(text string) bool {
	const enough = 8
	var seen [256]bool
	n := 0
	for i := range len(text) {
		if !seen[text[i]] {
			seen[text[i]] = true
			n++
		}
	}

	lower := strings.ToLower(text)
	for _, word := range [...]string{"xxxx", "your", "placeholder", "1234567890abcdef1234567890", "redacted", "..."} {
		if strings.Contains(lower, word) {
			return false
		}
	}

	return n >= enough
}

// mixed reports whether a password has letters and digits, which a word such as "password" has not.
func mixed(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.ContainsFunc(text, func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	})
}
