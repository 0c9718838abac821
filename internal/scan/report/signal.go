package report

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner"
)

// quoted splits the evidence of a signal into its telling words, the text before
// them and the text after them.
func quoted(s *scanner.Signal) (before, words, after string) {
	from, to := s.Words[0], s.Words[1]
	if from < 0 || from >= to || to > len(s.Evidence) {
		return s.Evidence, "", ""
	}
	return s.Evidence[:from], s.Evidence[from:to], s.Evidence[to:]
}

// marked returns the evidence with its telling words in guillemets.
func marked(s *scanner.Signal) string {
	before, words, after := quoted(s)
	if words == "" {
		return before
	}
	return before + "«" + words + "»" + after
}

// advice says why a signal of a finding matters and what to do. A custom check has none.
func advice(f *Finding, s *scanner.Signal) (why, do string) {
	e := f.Explain(s)
	return sentence(e.Why), sentence(e.Do)
}

// sentence ends a text with a full stop and begins it with a capital letter.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}
