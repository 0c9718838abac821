package change

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Change holds the differences of a tool from its approved version.
type Change struct {
	now, was *reading.Reading
	// added are the sentences that the approved version lacks. lost are those
	// that only the approved version has.
	added, lost []sentenceAt
	// had holds the meanings in the approved version.
	had    concept.Set
	Weight float64
	What   []string // what the definition has now, as nouns
	Lost   []string // what it no longer does, as verbs
	// Hint is the annotation whose change weighs most, as a JSON Pointer, if no other
	// change weighs more.
	Hint     string
	heaviest float64
	reg      *tool.Registry
	// worst is the added sentence that is most like those that attackers plant.
	worst sentenceAt
}

// Worst returns the added sentence that is most like those that attackers plant,
// and its text, or nil if no sentence was added.
func (c *Change) Worst() (*token.Doc, *token.Sentence) { return c.worst.d, c.worst.s }

// Planted says how much the worst added sentence is like those that attackers plant,
// as log-odds above those of documentation, or 0.
func (c *Change) Planted() float64 {
	const documentation = -1
	if c.worst.s == nil {
		return 0
	}
	return max(0, reading.LogOdds(c.worst.s.Score)-documentation)
}

// sentenceAt is a sentence with the text that contains it.
type sentenceAt struct {
	d *token.Doc
	s *token.Sentence
}

func (s sentenceAt) text() string {
	return strings.TrimSpace(s.d.Text[s.s.Start:s.s.End])
}

// maxChanged bounds the sentences, parameters and values that are compared.
const maxChanged = 256

// Compare weighs the differences of a tool from its approved version.
func Compare(now, was *reading.Reading, r *tool.Registry) *Change {
	c := &Change{now: now, was: was, reg: r, had: was.Means()}
	now.Judge(r)
	c.added = newSentences(now, was)
	for _, at := range c.added {
		if c.worst.s == nil || at.s.Score > c.worst.s.Score {
			c.worst = at
		}
	}
	c.lost = newSentences(was, now)
	c.sentences()
	c.senses()
	c.hosts()
	c.parameters()
	c.annotations()
	if n, before := len(now.Description), len(was.Description); n > 3*before+400 && !now.Encodes(tool.KindDescription) {
		c.more(0.4, "much more than before")
	}
	return c
}

// newSentences lists the sentences of v that other does not contain.
func newSentences(v, other *reading.Reading) []sentenceAt {
	var out []sentenceAt
	looked := 0
	for i := range v.Docs {
		d := &v.Docs[i]
		if layer := v.Fields[d.Field].Layer; d.Read || layer != "" && !decode.Deliberate(layer) && !decode.Respells(layer) {
			continue
		}
		for s := d.Sen0; s < d.Sen1 && looked < maxChanged; s++ {
			looked++
			at := sentenceAt{d, &v.Clauses[s]}
			text := strings.TrimRight(at.text(), ".;:, ")
			if text != "" && !other.Contains(text) {
				out = append(out, at)
			}
		}
	}
	return out
}

func (c *Change) more(w float64, what string) {
	if w > 0 && !slices.Contains(c.What, what) {
		c.What = append(c.What, what)
		c.weigh(w, "")
	}
}

// less weighs something that the definition no longer does.
func (c *Change) less(w float64, what, hint string) {
	if w > 0 && !slices.Contains(c.Lost, what) {
		c.Lost = append(c.Lost, what)
		c.weigh(w, hint)
	}
}

func (c *Change) weigh(w float64, hint string) {
	c.Weight += w
	if w > c.heaviest {
		c.heaviest, c.Hint = w, hint
	}
}

// Text says what is different, for the end of a sentence, or returns "".
func (c *Change) Text() string {
	var list []string
	if len(c.Lost) > 0 {
		list = append(list, "it no longer "+strings.Join(c.Lost, ", and no longer "))
	}
	var has []string
	for i, what := range c.What {
		if !slices.ContainsFunc(c.What[i+1:], func(other string) bool { return saysMore(other, what) }) &&
			!slices.ContainsFunc(c.What[:i], func(other string) bool { return saysMore(other, what) }) {
			has = append(has, what)
		}
	}
	if len(has) > 0 {
		list = append(list, "it now has "+strings.Join(has, ", "))
	}
	return strings.Join(list, ", and ")
}

// saysMore reports whether a phrase has all words of another one, as "the whole
// conversation" has those of "the conversation".
func saysMore(phrase, other string) bool {
	words := strings.Fields(phrase)
	for _, w := range strings.Fields(other) {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return phrase != other
}

// sentences weighs the meanings of the added sentences and the lost promises.
func (c *Change) sentences() {
	v := c.now
	for _, at := range c.added {
		if c.frees(at) {
			c.more(1, "leave to act without asking")
		} else if protects(v, at) || at.s.Senses.Any(sense.Untrusted) {
			continue
		}
		kind := v.Fields[at.d.Field].Kind
		for _, risk := range reading.Risks {
			if !at.s.Means.Has(risk.Means) || c.had.Has(risk.Means) {
				continue
			}
			w := risk.Weight
			if kind == tool.KindParamName || kind == tool.KindEnum || at.s.Tok1-at.s.Tok0 < 3 {
				w *= 0.4
			}
			c.more(w, risk.What)
		}
		if c.widens(at) {
			w := 0.6
			if kind != tool.KindDescription {
				w = 0.8
			}
			if at.s.Means.Any(concept.Target | concept.User | concept.Personal | concept.Shell) {
				w += 0.3
			}
			c.more(w, "a wider reach")
		}
	}
	for _, at := range c.lost {
		if !protects(c.was, at) || c.kept(at) {
			continue
		}
		w := 0.8
		if len(c.added) == 0 {
			w = 1
		}
		c.less(w, "makes a promise that it made", "")
		for _, n := range c.added {
			if !n.s.Means.Any(concept.Neg) && char.Similarity(at.text(), n.text()) >= 0.2 {
				c.more(0.4, "the opposite of a promise")
			}
		}
	}
}

// kept reports whether the promise of a lost sentence is still made in other
// words.
func (c *Change) kept(at sentenceAt) bool {
	text := at.text()
	for _, n := range c.added {
		if consentOf(c.was, at) == asksFirst && consentOf(c.now, n) == asksFirst || protects(c.now, n) && char.Similarity(text, n.text()) >= 0.25 {
			return true
		}
	}
	// The sentence may only have been joined with another one.
	for _, n := range c.added {
		if char.Similarity(text, n.text()) >= 0.7 {
			return true
		}
	}
	return false
}

// widens reports whether a sentence removes a limit: any path, all accounts,
// also production.
func (c *Change) widens(at sentenceAt) bool {
	toks := c.now.Tokens[at.s.Tok0:at.s.Tok1]
	for k, t := range toks {
		switch c.now.Word(at.d, t) {
		case "any", "all", "whatever", "everything", "anything", "every":
			if k+1 < len(toks) && c.now.Fields[at.d.Field].Kind != tool.KindDescription || at.s.Means.Any(concept.File|concept.Shell|concept.User|concept.Conv|concept.Target|concept.Destroy|concept.Personal) {
				if k+1 < len(toks) && !toks[k+1].Means.Any(concept.Task|concept.Result) {
					return true
				}
			}
		case "force", "implied", "production", "private", "partners", "unrestricted", "unlimited", "public":
			if c.now.Word(at.d, t) != "public" || k > 0 && toks[k-1].Means.Any(concept.Be) {
				return true
			}
		}
	}
	return false
}

// frees reports whether a sentence removes a confirmation.
func (c *Change) frees(at sentenceAt) bool {
	m := at.s.Means
	v := c.now
	if consentOf(v, at) == asksNobody {
		return !slices.ContainsFunc(c.lost, func(l sentenceAt) bool { return consentOf(c.was, l) == asksNobody })
	}
	if !m.Any(concept.Ask | concept.Guard) {
		return false
	}
	for k := at.s.Tok0; k < at.s.Tok1; k++ {
		switch v.Word(at.d, v.Tokens[k]) {
		case "longer", "unnecessary", "unneeded", "assumed", "implied", "treated", "considered", "count", "counts", "deemed", "waived", "skipped", "answered", "wanted", "presumed", "entfallen", "entfällt":
			return true
		case "needed", "required", "necessary":
			if m.Any(concept.Neg) || k > at.s.Tok0 && v.Word(at.d, v.Tokens[k-1]) == "not" {
				return true
			}
		}
	}
	return at.s.Foreign && m.Has(concept.Ask|concept.Neg) && m.Any(concept.Now|concept.Prior|concept.Must)
}
