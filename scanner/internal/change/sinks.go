package change

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/capability"
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// maxSinks bounds the hosts and addresses that are compared.
const maxSinks = 32

// sinksOf lists the hosts and addresses that a tool's text names.
func sinksOf(v *reading.Reading) []string {
	var out []string
	for i := range v.Docs {
		s := v.Docs[i].Text
		for from := 0; len(out) < maxSinks; {
			k := char.IndexFrom(s, "://", from)
			if k < 0 {
				break
			}
			end := k + 3
			for end < len(s) && (char.IsWord(s[end]) || strings.IndexByte(".-_", s[end]) >= 0) {
				end++
			}
			if end > k+3 {
				out = append(out, strings.TrimRight(s[k+3:end], "."))
			}
			from = k + 3
		}
		if k := strings.IndexByte(s, '@'); k > 0 && len(out) < maxSinks && char.HasEmail(s) {
			end := k + 1
			for end < len(s) && (char.IsWord(s[end]) || s[end] == '.' || s[end] == '-') {
				end++
			}
			out = append(out, strings.TrimRight(s[k+1:end], "."))
		}
	}
	return out
}

// FirstNewSentence returns the first sentence that the approved version lacks, or "".
func FirstNewSentence(v *reading.Reading, before *reading.Reading) string {
	looked := 0
	for i := range v.Docs {
		d := &v.Docs[i]
		for s := d.Sen0; s < d.Sen1 && looked < 256; s++ {
			looked++
			text := strings.TrimSpace(d.Text[v.Clauses[s].Start:v.Clauses[s].End])
			if text != "" && !before.Contains(text) {
				return text
			}
		}
	}
	return ""
}

func powersOf(v *reading.Reading) (have [power.Count]bool) {
	for i := range v.Analyze() {
		if f := &v.Fields[v.Docs[i].Field]; f.Kind == tool.KindParamName && !f.Output {
			have[capability.ParamPower(&v.View, i)] = true
		}
	}
	return have
}
