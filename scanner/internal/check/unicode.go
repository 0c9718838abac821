package check

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkUnicode finds invisible characters and letters that look like others.
var checkUnicode = Check{unicodeInfo, inspectUnicode}

var unicodeInfo = Info{
	ID: "unicode.hidden", Tier: Hard, ThreatType: PromptInjection,
	Description: "characters that are not seen, reverse the text or pass for other letters",
	Why:         "a reviewer does not see what the model reads",
	Do: "Show the characters with a hex editor. Remove them, or quarantine the tool and ask its author why " +
		"they are there.",
}

func inspectUnicode(v *reading.Reading, r *tool.Registry) []Signal {
	var out []Signal
	for i := range v.AllFields() {
		f := &v.Fields[i]
		if !f.Plain && f.Layer == "" {
			out = append(out, hiddenSignals(v, r, f)...)
		}
	}
	return strongestOf(out)
}

// strongestOf keeps the strongest hard and the strongest soft signal: one
// smuggled sentence in ten fields is one reason, not ten.
func strongestOf(all []Signal) []Signal {
	var out []Signal
	for _, tier := range []Tier{Hard, Soft} {
		best := -1
		for i := range all {
			if all[i].Tier == tier && (best < 0 || all[i].Confidence > all[best].Confidence) {
				best = i
			}
		}

		if best >= 0 {
			out = append(out, all[best])
		}
	}

	return out
}

// hiddenSignals judges one field. Some characters have only deceptive uses:
// text in tag characters, bytes in selectors, overrides, anything invisible in
// a name. Other characters also occur in text copied from a page, so the text
// without them is judged.
func hiddenSignals(v *reading.Reading, r *tool.Registry, f *tool.Field) []Signal {
	c := countHidden(f.Text)
	var out []Signal
	add := func(tier Tier, confidence float64, at, end int, format string, args ...any) {
		if at < 0 {
			at = 0
		}

		out = append(out, Signal{
			CheckID: unicodeInfo.ID, Tier: tier, ThreatType: PromptInjection,
			Confidence: confidence, Critical: tier == Hard,
			Detail: v.Where(f) + ": " + fmt.Sprintf(format, args...),
		}.quoting(v, f, f.Text, at, end))
	}
	name := f.Kind == tool.KindName || f.Kind == tool.KindParamName
	c.report(name, add)
	mixed, at, to := 0, 0, 0
	if c.alike {
		mixed, at, to = char.MixedWords(f.Text)
	}

	if mixed > 0 && name {
		add(Hard, 0.9, at, to, "a name of Latin letters and look-alikes of another script")
	}

	if name && mixed == 0 {
		switch disguisedName(f.Text) {
		case 2:
			add(Hard, 0.9, 0, 40, "a word of a name with a letter of another script in the place of its own")
		case 1:
			add(Soft, 0.6, 0, 40, "a letter in a name that passes for another")
		}
	}

	if name && (c.compat > 0 || c.overlays > 0) {
		add(Soft, 0.6, 0, 40, "letters in a form that only looks like plain text")
	}

	if (c.first >= 0 || c.compat+c.overlays+mixed > 0) && (len(out) == 0 || out[0].Tier != Hard) {
		if d := disguised(f.Text); d.words > 0 {
			d.judge(v, r, add)
		}
	}

	return out
}

// report adds the signal for the most suspicious hidden characters of a field.
// name is set if the field is a name.
func (c *hiddenCounts) report(name bool, add func(Tier, float64, int, int, string, ...any)) {
	end := c.last + 1
	zero := c.zeroWidth + c.soft + c.filler
	switch {
	case c.tags > 0:
		add(Hard, 1, c.first, end, "%d tag characters, which spell text that is not shown", c.tags)
	case c.selectors >= 4 && c.longest >= 3:
		add(Hard, 1, c.first, end, "%d variation selectors in a row, which can carry bytes", c.selectors)
	case c.bidiStrong > 0 && !c.rtl:
		add(Hard, 0.95, c.first, end, "bidirectional override in text without right-to-left letters")
	case c.longest >= 8 && zero >= 8:
		add(Hard, 0.95, c.first, end, "%d zero-width characters in a row, which can carry bits", c.longest)
	case name && zero+c.bidi > 0:
		add(Hard, 0.95, c.first, end, "an invisible character in a name")
	case c.ansi > 0:
		add(Hard, 0.95, c.first, end, "terminal escape sequences, which can hide or forge text")
	case c.longest >= 4 && zero >= 4:
		add(Soft, 0.6, c.first, end, "%d invisible characters in a row", c.longest)
	case c.control > 0:
		add(Soft, 0.5, c.first, end, "%d control characters", c.control)
	case c.private > 0 || c.selectors > 1:
		add(Soft, 0.4, c.first, end, "characters without a public meaning")
	}
}

// disguise counts the words of a text that are not written plainly: split by
// invisible characters, spelled with look-alikes, struck through.
type disguise struct {
	words      int
	telling    int // words that occur in orders to a model
	hosts      int // words that are part of a host name
	styled     int // words that are only styled: full-width, mathematical, marked
	start, end int
}

// tellingWords are meanings that are worth disguising.
const tellingWords = concept.Ignore | concept.Instr | concept.Secret | concept.CredPath | concept.System |
	concept.Model | concept.Secretly | concept.Disable | concept.Neg | concept.User |
	concept.Tell | concept.Conv | concept.History | concept.Pay | concept.Destroy | concept.Shell | concept.Prior |
	concept.Personal | concept.Ask

func disguised(s string) disguise {
	var d disguise
	if char.PlainASCII(s) {
		return d
	}

	lex := lexicon.Get().Latin
	for from := 0; from < len(s); {
		to := from
		for to < len(s) && s[to] > ' ' && strings.IndexByte(`.,;:!?()[]{}"`, s[to]) < 0 {
			to++
		}

		if to > from && hiddenWord(s[from:to]) {
			if d.words == 0 {
				d.start = from
			}

			d.words++
			d.end = to
			if styledWord(s[from:to]) {
				d.styled++
			}

			if to+1 < len(s) && s[to] == '.' && char.IsLetter(s[to+1]) {
				d.hosts++
			}

			n := uint16(lexicon.Root)
			for _, c := range []byte(char.FoldLatin(char.Normalize(s[from:to]))) {
				if letter := lexicon.LatinLetter(c); letter != 255 {
					n = lex.Step(n, letter)
				}
			}

			if lex.Exact(n).Means.Any(tellingWords) {
				d.telling++
			}
		}

		from = max(to, from+1)
	}

	return d
}

// styledWord reports whether a word is disguised only by the style of its
// letters, as in East Asian text and posts.
func styledWord(w string) bool {
	if n, _, _ := char.MixedWords(w); n > 0 {
		return false
	}
	for _, r := range w {
		if r == 0x1b || char.Invisible(r) {
			return false
		}
	}
	return true
}

// hiddenWord reports whether the characters of a word disguise it.
func hiddenWord(w string) bool {
	if char.PlainASCII(w) {
		return false
	}

	if n, _, _ := char.MixedWords(w); n > 0 {
		return true
	}

	letters, hidden, marks, forms := 0, 0, 0, 0
	inner := false
	for _, r := range w {
		switch {
		case r == 0x1b || char.Invisible(r) && !isSelector(r):
			if letters > 0 {
				hidden++
			}
		case unicode.IsLetter(r):
			inner = inner || hidden > 0
			if unspaced(r) || joins(r) {
				return false
			}

			letters++
			if r >= 0x1D400 && r <= 0x1D7FF || r >= 0xFF21 && r <= 0xFF5A || r >= 0x1D00 && r < 0x1D80 {
				forms++
			}
		case char.IsMark(r):
			marks++
		case r >= 0x24B6 && r <= 0x24E9 || r >= 0x1F110 && r <= 0x1F189:
			letters++
			forms++
		}
	}

	return inner && letters > 1 || marks >= 2 && marks*2 >= letters || forms >= 2 && forms*2 >= letters
}

// judge weighs a disguise by the meaning of the text without it. Innocent prose
// stays innocent, whatever characters it has.
func (d *disguise) judge(v *reading.Reading, r *tool.Registry, add func(Tier, float64, int, int, string, ...any)) {
	_, _, said := v.Worst(r, func(*tool.Field, *token.Doc, *token.Sentence) bool { return true })
	if len(v.TripwireMatches(r)) > 0 {
		said = max(said, orderScore+1)
	}

	if d.styled == d.words && said <= flagScore {
		return // honest authors use styles too, so styles do not lower the threshold
	}

	switch {
	case said > decodedScore && d.telling > 0:
		add(Hard, 0.95, d.start, d.end, "%d disguised words, and what they spell is an order", d.words)
	case d.hosts > 0:
		add(Soft, 0.6, d.start, d.end, "the name of a host in letters that only look like its own")
	case said > -orderScore && d.telling > 0, d.telling >= 2 && d.telling*2 >= d.words:
		add(Soft, 0.6, d.start, d.end, "%d disguised words, of which %d are such as orders are made of", d.words,
			d.telling)
	}
}
