package detectors

import (
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// suspiciousWords is a list that takes five minutes to write. It is the control
// for all other detectors and must not be improved: a scanner that does not beat
// it is not worth running.
var suspiciousWords = []string{
	"ignore", "instructions", "system prompt", "password", "secret",
	"credential", ".ssh", ".env", "token", "api key", "curl ", "exec",
	"base64", "delete", "do not tell", "<important>",
}

// keywords flags a tool whose name, description or schemas, or whose server's
// instructions, contain one of the words, in any case and also as part of other words.
func keywords(r contracts.DetectorRequest) (contracts.DetectorVerdict, error) {
	text := strings.ToLower(strings.Join([]string{
		r.Tool.Name, r.Tool.Description, string(r.Tool.InputSchema), string(r.Tool.OutputSchema), r.ServerInstructions,
	}, "\n"))
	var v contracts.DetectorVerdict
	for _, word := range suspiciousWords {
		if strings.Contains(text, word) {
			v.Signals = append(v.Signals, "word:"+strings.TrimSpace(word))
		}
	}

	if v.Flagged = len(v.Signals) > 0; v.Flagged {
		v.Confidence = float64(len(v.Signals)) / float64(len(v.Signals)+1)
		v.Evidence = strings.Join(v.Signals, ", ")
	}

	return v, nil
}
