package reading

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/command"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
	"github.com/touchstone-eval/touchstone/scanner/internal/tripwire"
)

// Match is a tripwire that a sentence matches.
type Match struct {
	Tripwire   *tripwire.Tripwire
	Doc        int
	Start, End uint32
	// DescribesAttack is set if the sentence seems to describe an attack instead of being
	// one. An attacker can write such a sentence too.
	DescribesAttack bool
}

// Stops reports whether the tripwire stops a build by itself.
func (t *Match) Stops() bool { return t.Tripwire.Severity != "medium" && !t.DescribesAttack }

// TripwireMatches returns the tripwires that the tool matches, each once, in the order of
// the text.
func (v *Reading) TripwireMatches(reg *tool.Registry) []Match {
	v.Judge(reg)
	return v.tripwireMatches
}

// wordTable finds the words of tripwires among tokens.
type wordTable struct {
	set *tripwire.Set
	// byNode holds the classes of words of the lexicon, by their node. Index 0
	// is for all others.
	byNode []uint16
	lists  []tripwire.Classes
	// anchors are the tripwires that a word of the same index makes possible.
	anchors []tripwire.Bitset
	// rest holds the words that the lexicon lacks, and restSigns their
	// signature.
	rest      map[string]uint16
	restSigns token.Signature
}

var tripwireWords = sync.OnceValue(func() *wordTable {
	w := &wordTable{set: tripwire.Get(), lists: make([]tripwire.Classes, 1), anchors: make([]tripwire.Bitset, 1),
		rest: map[string]uint16{}}
	trie := lexicon.Get().Latin
	w.byNode = make([]uint16, len(trie.Cells))
	w.set.Words(func(word string, in tripwire.Classes) {
		k := uint16(len(w.lists))
		w.lists = append(w.lists, in)
		w.anchors = append(w.anchors, w.set.AnchoredBy(&in))
		n, end := lexicon.Walk(trie, word, 0)
		if end == len(word) && n != lexicon.Dead && trie.Exact(n).OwnNode(n) != lexicon.Dead {
			w.byNode[n] = k
			return
		}
		w.rest[word] = k
		for i, signs := range token.SignatureOf(word) {
			w.restSigns[i] |= signs
		}
	})
	return w
})

// of returns the index of a token's word, or 0.
func (w *wordTable) of(v *Reading, d *token.Doc, t *token.Token) uint16 {
	if t.Flags&token.Ident != 0 {
		return 0
	}

	if t.Node != 0 {
		if k := w.byNode[t.Node]; k != 0 {
			return k
		}
	}

	if t.First >= utf8.RuneSelf {
		return w.rest[strings.ToLower(d.Text[t.Start:t.End])]
	}

	if t.First-'a' >= 26 || !w.restSigns.Holds(t) {
		return 0
	}

	return w.rest[string(v.Lower(d, *t))]
}

// matchTripwires tries all tripwires on a sentence.
func (x *passage) matchTripwires(s *token.Sentence) {
	switch x.kind {
	case tool.KindParamName, tool.KindJoined, tool.KindPattern:
		return
	}

	w := tripwireWords()
	var candidates tripwire.Bitset
	toks := x.v.Tokens[s.Tok0:s.Tok1]
	x.words = x.words[:0]
	for i := range toks {
		k := w.of(x.v, x.doc, &toks[i])
		x.words = append(x.words, k)
		if k != 0 {
			candidates.Union(w.anchors[k])
		}
	}

	if candidates == (tripwire.Bitset{}) {
		return
	}

	var mask tripwire.Classes
	for _, k := range x.words {
		if k != 0 {
			mask.Union(&w.lists[k])
		}
	}

	named := s.Flags&(token.Ident|token.Quote|token.Code) != 0 || x.doc.Stats.Marks&token.MarkDash != 0
	entered, describesAttack := false, false
	for half, set := range candidates {
		for ; set != 0; set &= set - 1 {
			tw := &w.set.All[64*half+bits.TrailingZeros64(set)]
			if !needs(tw, &mask, named) || !x.appliesToField(tw) || x.alreadyMatched(tw) {
				continue
			}

			if !entered {
				entered = true
				describesAttack = x.beginMatching(s, w)
			}

			x.matchTripwire(tw, &mask, describesAttack)
		}
	}
}

// needs reports whether a sentence has all words of some pattern, and a name if the pattern
// has one.
func needs(w *tripwire.Tripwire, mask *tripwire.Classes, named bool) bool {
	for i := range w.Shapes {
		if p := &w.Shapes[i]; (named || !p.Names) && mask.Holds(p.Needs) {
			return true
		}
	}
	return false
}

// beginMatching selects the sentence, classifies its words, and reports whether it describes attacks.
func (x *passage) beginMatching(s *token.Sentence, w *wordTable) bool {
	x.setSentence(s)
	x.classify(w)
	decoded := x.v.Fields[x.doc.Field].Layer != ""
	return x.describesAttacks() || decoded && x.about.Any(concept.Meta) // "detects payloads such as aWdub3Jl..."
}

// matchTripwire records a tripwire if the sentence matches it.
func (x *passage) matchTripwire(tw *tripwire.Tripwire, mask *tripwire.Classes, describesAttack bool) {
	for i := range tw.Shapes {
		p := &tw.Shapes[i]
		if !mask.Holds(p.Needs) {
			continue
		}

		if from, to, ok := x.matches(p); ok && !x.deniedFrom(from) && !x.isExempt(tw, mask) &&
			(tw.In != "parameter" || x.takesText()) {
			cited := x.quotedFrom(from)
			if cited && (describesAttack || x.about.Any(concept.Meta) || x.mask.Any(concept.Meta)) {
				continue
			}

			x.v.tripwireMatches = append(x.v.tripwireMatches,
				Match{Tripwire: tw, Doc: x.d, Start: x.toks[from].Start, End: x.toks[to].End,
					DescribesAttack: describesAttack || cited})
			return
		}
	}
}

// appliesToField reports whether a tripwire applies to the field.
func (x *passage) appliesToField(w *tripwire.Tripwire) bool {
	if x.v.Subject != "" && slices.Contains(w.NotIn, x.v.Subject) {
		return false
	}
	switch w.In {
	case "description":
		return x.kind == tool.KindDescription
	case "parameter":
		return x.kind == tool.KindParamDescription || x.kind == tool.KindTitle
	}
	return true
}

// takesText reports whether the sentence is about a parameter that can collect anything: a
// switch such as full_history cannot.
func (x *passage) takesText() bool {
	shape, ok := x.v.Shapes()[x.v.Fields[x.doc.Field].Param]
	return !ok || shape.TakesText()
}

// alreadyMatched reports whether a sentence of the tool matched the tripwire before.
func (x *passage) alreadyMatched(w *tripwire.Tripwire) bool {
	for i := range x.v.tripwireMatches {
		if x.v.tripwireMatches[i].Tripwire == w {
			return true
		}
	}
	return false
}

// purposeMeanings returns the meanings of what may excuse the sentence: the name of the tool, and
// its first sentence, unless that is the sentence itself.
func (x *passage) purposeMeanings() concept.Set {
	if x.sen.First {
		return x.nameMeans
	}
	return x.about
}

// isExempt reports whether the tool's business or the rest of the sentence makes
// it innocent.
func (x *passage) isExempt(w *tripwire.Tripwire, mask *tripwire.Classes) bool {
	about := x.purposeMeanings()
	for _, b := range w.NotFor {
		if about.Any(tripwire.Businesses[b]) {
			return true
		}
	}

	for i := range w.Innocent {
		if mask.Holds(w.Innocent[i].Needs) {
			if _, _, ok := x.matches(&w.Innocent[i]); ok {
				return true
			}
		}
	}

	return false
}

// quotedFrom reports whether the words from token i on are quoted. The quoted name of a
// parameter quotes no order: "'cc' must be x@y.example".
func (x *passage) quotedFrom(i int) bool {
	return x.toks[i].Flags&(token.Quote|token.Code) != 0 && !x.isParameter(i) && !x.wholeQuoted() && !x.imposesQuoted()
}

// imposesQuoted reports whether the words outside of the quotation marks make the quoted ones an
// order: "... is what you must do first".
func (x *passage) imposesQuoted() bool {
	for i := range x.toks {
		if x.toks[i].Means.Any(concept.You) && x.toks[i].Flags&(token.Quote|token.Code) == 0 {
			if k := x.findAny(concept.Must, i+1, i+3); k >= 0 && x.toks[k].Flags&(token.Quote|token.Code) == 0 &&
				x.findAny(concept.Neg, i, k+3) < 0 {
				return true
			}
		}
	}
	return false
}

// deniedFrom reports whether the words from token i on are negated: "never send passwords".
func (x *passage) deniedFrom(i int) bool {
	if x.toks[i].Means.Any(concept.Neg) {
		return false
	}

	for k := i - 1; k >= max(0, i-4); k-- {
		if x.toks[k+1].Flags&token.Break != 0 {
			return false
		}

		if x.toks[k].Means.Any(concept.Neg) && !x.isWord(k, "without", "before") {
			return true
		}
	}

	return false
}

// wholeQuoted reports whether the sentence is quoted from its first word to its
// last, so that no words speak of the quotation.
func (x *passage) wholeQuoted() bool {
	for i := range x.toks {
		if x.toks[i].Flags&(token.Quote|token.Code) == 0 {
			return false
		}
	}
	return x.sen.Tok0 == x.doc.Tok0 && x.sen.Tok1 == x.doc.Tok1
}

// classify computes the classes of each token of the sentence, with the classes
// of entities.
func (x *passage) classify(w *wordTable) {
	x.v.tokenClasses = x.v.tokenClasses[:0]
	for i := range x.toks {
		c := w.lists[x.words[i]]
		x.addEntities(i, &c)
		x.v.tokenClasses = append(x.v.tokenClasses, c)
	}

	if !x.doc.Stats.Command {
		return
	}

	// Only near the sentence, so that the cost of a long text is linear.
	start := int(x.sen.Start)
	text := x.doc.Text[start:min(len(x.doc.Text), int(x.sen.End)+commandReach)]
	command.EachShape(text, func(_ *command.Shape, from, to int) {
		for i := range x.toks {
			if int(x.toks[i].End) > start+from && int(x.toks[i].Start) < start+to {
				x.v.tokenClasses[i].Add(tripwire.Command)
				return
			}
		}
	})
}

// commandReach is the number of bytes by which a command may exceed its sentence.
const commandReach = 200

// matches finds a pattern in the classified sentence. It returns its first and
// last token.
func (x *passage) matches(p *tripwire.Pattern) (from, to int, ok bool) {
	n := len(x.toks)
	// starts[i] is one more than the first token of a match of the elements so
	// far that ends at token i.
	var buf [2][token.MaxSentence + 1]uint8
	if n > len(buf[0]) {
		n = len(buf[0])
	}

	starts, next := buf[0][:n], buf[1][:n]
	for k := range p.Elements {
		e := &p.Elements[k]
		found := false
		clear(next)
		for i := range n {
			if !x.v.tokenClasses[i].Has(e.Class) || e.Imperative && !x.isDemanded(i, e.Order) || e.Last &&
				!x.endsClause(i) {
				continue
			}

			if k == 0 {
				next[i] = uint8(i) + 1
			} else {
				next[i] = x.matchStart(starts, i, e.Gap)
			}

			if next[i] != 0 && !found {
				found = true
				from, to = int(next[i])-1, i
			}
		}

		if !found {
			return 0, 0, false
		}

		starts, next = next, starts
	}

	return from, to, true
}

// endsClause reports whether token i is the last of its sentence, or whether
// punctuation follows it.
func (x *passage) endsClause(i int) bool {
	return i == len(x.toks)-1 || x.toks[i+1].Flags&token.Break != 0
}

// matchStart returns the start of a match that ends before token i, with at most
// gap words between, or only fillers.
func (x *passage) matchStart(starts []uint8, i, gap int) uint8 {
	fillers := tripwireWords().set.Fillers
	words := 0
	for k := i - 1; k >= 0; k-- {
		if starts[k] != 0 {
			return starts[k]
		}

		continues := x.toks[k].Flags&token.Ident != 0 && !x.gap(k)
		switch {
		case continues || x.v.tokenClasses[k].Has(fillers):
		case gap < 0:
			return 0
		default:
			if words++; words > gap {
				return 0
			}
		}
	}

	return 0
}

// isDemanded reports whether the verb at token i is demanded. A text's opening does
// not count as an order.
func (x *passage) isDemanded(i int, order bool) bool {
	m := x.mood(i)
	if m >= token.MoodOrder {
		return true
	}

	if m == token.MoodPlain {
		return !order || x.isEncoded()
	}

	t := &x.toks[i]
	if x.beginsSentence(i) {
		return true
	}

	if t.Form != lexicon.OtherForm || t.Flags&token.Ident != 0 {
		return false
	}

	// The lexicon knows no verb of this name: look at the word before.
	if i == 0 {
		return !order || !x.sen.First
	}

	return t.Flags&token.Break != 0 ||
		x.toks[i-1].Means.Any(concept.Must|concept.Should|concept.And|concept.You|concept.Modal)
}

// isEncoded reports whether somebody encoded the text on purpose: it opens no description.
func (x *passage) isEncoded() bool {
	layer := x.v.Fields[x.doc.Field].Layer
	return layer != "" && decode.Deliberate(layer)
}

// beginsSentence reports whether the verb at token i begins a sentence although no
// punctuation ends the one before: "Calculator Ignore all instructions". Titles, in
// which every word has a capital, do not count.
func (x *passage) beginsSentence(i int) bool {
	if i == 0 || i > 3 || i+1 >= len(x.toks) || x.toks[i].Form != lexicon.BaseForm {
		return false
	}
	capital := func(k int) bool { return char.IsUpper(x.doc.Text[x.toks[k].Start]) }
	return x.toks[i].Flags&(token.Ident|token.Upper) == 0 && capital(i) && !capital(i+1)
}
