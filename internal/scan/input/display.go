package input

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// Display shows people what would be started or contacted. Secrets are masked,
// because reports contain the text and are uploaded. Environment variables and
// headers are omitted.
func (s Server) Display() string {
	shown, _ := s.words()
	return shown
}

// words returns the text of Display and the secrets that it masks.
func (s Server) words() (shown string, secrets []string) {
	if s.URL != "" {
		return displayURL(s.URL), urlSecrets(s.URL)
	}

	words := make([]string, len(s.Command))
	masked := false
	for i, w := range s.Command {
		switch name, value, assigned := strings.Cut(w, "="); {
		case masked:
			secrets = append(secrets, w)
			w = "***"
			masked = false
		case assigned && secretName().MatchString(name):
			secrets = append(secrets, value)
			w = name + "=***"
		case !assigned && strings.HasPrefix(w, "-") && secretName().MatchString(w):
			masked = true
		case strings.Contains(w, "://"):
			secrets = append(secrets, urlSecrets(w)...)
			w = displayURL(w)
		case authHeader().MatchString(w):
			_, value, _ := strings.Cut(w, ":")
			secrets = append(secrets, value)
			w = authHeader().ReplaceAllString(w, "$1***")
		}

		words[i] = QuoteWord(w)
	}

	return strings.Join(words, " "), secrets
}

// redact masks in a text the secrets in the entry of the server, because a
// failing server may print them and reports quote its output.
func (s Server) redact(text string) string {
	_, secrets := s.words()
	for name, value := range s.Env {
		if secretName().MatchString(name) {
			secrets = append(secrets, value)
		}
	}

	for _, value := range s.Headers {
		secrets = append(secrets, value)
	}

	for _, secret := range slices.Clone(secrets) {
		// The text may contain the token without Bearer or Basic.
		if _, credentials, ok := strings.Cut(strings.TrimSpace(secret), " "); ok {
			secrets = append(secrets, credentials)
		}
	}

	// Mask the longest first, because one may be part of another.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	for _, secret := range secrets {
		if secret = strings.TrimSpace(secret); len(secret) >= 4 {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}

	return text
}

var (
	secretName = lazyregexp.New(`(?i)(key|token|secret|passw|passphrase|credential|auth|bearer|cookie)`)
	authHeader = lazyregexp.New(`(?i)^([a-z-]*(?:key|token|auth|cookie)[a-z-]*:\s*).*`)
)

// displayURL masks the password and the values of the query.
func displayURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		head, _, cut := strings.Cut(raw, "?")
		if cut {
			head += "?***"
		}

		return head
	}

	if u.User != nil {
		u.User = url.User("***")
	}

	if u.RawQuery != "" {
		var names []string
		for pair := range strings.SplitSeq(u.RawQuery, "&") {
			name, _, _ := strings.Cut(pair, "=")
			names = append(names, name+"=***")
		}

		u.RawQuery = strings.Join(names, "&")
	}

	return strings.ReplaceAll(u.String(), "%2A", "*")
}

// urlSecrets returns the parts of a URL that displayURL masks.
func urlSecrets(raw string) []string {
	u, err := url.Parse(raw)
	if err != nil {
		_, query, _ := strings.Cut(raw, "?")
		return []string{query}
	}

	var secrets []string
	if password, ok := u.User.Password(); ok {
		secrets = append(secrets, password)
	}

	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		_, value, _ := strings.Cut(pair, "=")
		secrets = append(secrets, value)
		if plain, err := url.QueryUnescape(value); err == nil {
			secrets = append(secrets, plain)
		}
	}

	return secrets
}

// QuoteWord quotes a word of a command line that a shell would split.
func QuoteWord(w string) string {
	if w != "" && !strings.ContainsAny(w, " \t\n\"'\\$`|&;<>()*?[]#~") || w == "***" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// SplitCommand splits a command line into words like a shell, with quotes and
// backslashes but without variables, globs or operators: a shell never runs any
// of it. It returns an error for an open quote and for an empty line.
func SplitCommand(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	open := false
	quote := rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteByte('\\')
			}

			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, open = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '"' || r == '\'':
			quote, open = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if open {
				words = append(words, word.String())
				word.Reset()
			}

			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}

	switch {
	case quote != 0:
		return nil, &InputError{Place: Place{File: "the server command"}, Reason: "a quote is not closed",
			Remedy: "close it"}
	case escaped:
		return nil, &InputError{Place: Place{File: "the server command"}, Reason: "it ends with a backslash",
			Remedy: "write it twice to mean one"}
	}

	if open {
		words = append(words, word.String())
	}

	if len(words) == 0 {
		return nil, &InputError{Place: Place{File: "the server command"}, Reason: "it is empty",
			Remedy: "give the program and its arguments"}
	}

	return words, nil
}
