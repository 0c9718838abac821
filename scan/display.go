package scan

import (
	"net/url"
	"regexp"
	"strings"
)

// Display is what would be started or reached, for a person to judge, with
// secrets masked: it goes into reports, and reports are uploaded. Environment
// variables and headers are left out altogether.
func (s Server) Display() string {
	if s.URL != "" {
		return displayURL(s.URL)
	}
	words := make([]string, len(s.Command))
	masked := false
	for i, w := range s.Command {
		switch name, _, assigned := strings.Cut(w, "="); {
		case masked:
			w = "***"
			masked = false
		case assigned && secretName.MatchString(name):
			w = name + "=***"
		case !assigned && strings.HasPrefix(w, "-") && secretName.MatchString(w):
			masked = true
		case strings.Contains(w, "://"):
			w = displayURL(w)
		case authHeader.MatchString(w):
			w = authHeader.ReplaceAllString(w, "$1***")
		}
		words[i] = QuoteWord(w)
	}
	return strings.Join(words, " ")
}

var (
	secretName = regexp.MustCompile(`(?i)(key|token|secret|passw|passphrase|credential|auth|bearer|cookie)`)
	authHeader = regexp.MustCompile(`(?i)^([a-z-]*(?:key|token|auth|cookie)[a-z-]*:\s*).*`)
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

// QuoteWord quotes a word of a command line that a shell would split.
func QuoteWord(w string) string {
	if w != "" && !strings.ContainsAny(w, " \t\n\"'\\$`|&;<>()*?[]#~") || w == "***" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// SplitCommand splits a command line into words as a shell does, with quotes
// and backslashes but without variables, globs or operators: nothing in it is
// run by a shell. It fails on an open quote and on an empty line.
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
		return nil, &InputError{Place: Place{File: "the server command"}, Reason: "a quote is not closed", Remedy: "close it"}
	case escaped:
		return nil, &InputError{Place: Place{File: "the server command"}, Reason: "it ends with a backslash", Remedy: "write it twice to mean one"}
	}
	if open {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, &InputError{Place: Place{File: "the server command"}, Reason: "it is empty", Remedy: "give the program and its arguments"}
	}
	return words, nil
}
