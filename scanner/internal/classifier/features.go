package classifier

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Features of a sentence: its words, and pairs and triples of neighbouring words,
// without their endings; their meaning, by concept and sense, and what of it is
// demanded; whose tool the sentence names; the meaning of the sentences around
// it; and its structure and place. The training data has few words of other
// languages than English, so that pairs of meanings stand in for pairs of words. Training and scanning use
// the same code, so that a weight means the same in both.

// Feature is the hash of a feature. Two features may share a hash; training
// then treats them as one.
type Feature uint32

// featureFamily separates features of different kinds.
type featureFamily uint32

const (
	famBias featureFamily = iota
	famWord
	famSchemaWord // word in a schema, not in the description
	famPair
	famWordBefore // word in the sentence before
	famWordAfter
	famKind
	famForm // of the first word
	famFlag
	famLength
	famNamed // number of words of the tool's name in the sentence
	famFirst
	famOutput
	famTriple
	famMood           // of the words with a meaning
	famPairOfMeanings // in a sentence of another language
	famNames          // whose tool it names, alone and with each meaning
	famMeaning        // of the sentence, the one before, the one after, and foreign to the tool
)

// meaningPlaces are the sentence itself, the one before it, the one after, and what
// the sentence says that neither the tool's purpose nor the names of its parameters do.
const meaningPlaces = 4

// foreignToTool is the last of these places.
const foreignToTool = meaningPlaces - 1

// meaningBits is the number of concepts and senses.
const meaningBits = 128

// structural are concepts that only describe the structure of sentences.
const structural = concept.Adv | concept.To | concept.Stop | concept.Foreign

// FNV-1a (Fowler, Noll, Vo), 32 bit.
const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

func (f featureFamily) of(value uint32) Feature {
	h := (uint32(fnvOffset) ^ uint32(f)) * fnvPrime
	h = (h ^ value&0xff) * fnvPrime
	h = (h ^ value>>8&0xff) * fnvPrime
	h = (h ^ value>>16&0xff) * fnvPrime
	h = (h ^ value>>24) * fnvPrime
	return Feature(h ^ h>>15)
}

// sentenceFeatures are the features of one sentence.
type sentenceFeatures struct {
	// words are its words, except numbers and single letters.
	words []Feature
	list  []Feature
	// tokens is the number of its words, including those.
	tokens int
	// meant is the number of words with a meaning if the sentence is in another
	// language than English, and 0 otherwise.
	meant int
	// The meanings of the sentence and its neighbours are kept as sets, because
	// they are many and already numbered.
	concepts [meaningPlaces]concept.Set
	senses   [meaningPlaces]sense.Set
}

// Each calls yield with every feature.
func (x *sentenceFeatures) Each(yield func(Feature)) {
	for _, f := range x.words {
		yield(f)
	}

	for _, f := range x.list {
		yield(f)
	}

	for place := range meaningPlaces {
		for bit := range 64 {
			if x.concepts[place]>>bit&1 != 0 {
				yield(meaningFeature(place, bit))
			}

			if x.senses[place]>>bit&1 != 0 {
				yield(meaningFeature(place, 64+bit))
			}
		}
	}
}

// count is the number of features.
func (x *sentenceFeatures) count() int {
	n := len(x.words) + len(x.list)
	for place := range meaningPlaces {
		n += bits.OnesCount64(uint64(x.concepts[place])) + bits.OnesCount64(uint64(x.senses[place]))
	}
	return n
}

func meaningFeature(place, bit int) Feature {
	return famMeaning.of(uint32(place*meaningBits + bit))
}

// Scorer computes the features and scores of the sentences of tools, with
// buffers that it reuses from tool to tool.
type Scorer struct {
	stems     []uint32 // of the words of one text
	nameStems []uint32 // of the words of the tool's name
	// The meanings of the tool's purpose and of the names of its parameters.
	business concept.Set
	things   sense.Set
	features sentenceFeatures
}

// Stem hashes every word of a doc, for features. All words of an address get
// one hash, because the address itself has no meaning.
func (z *Scorer) Stem(v *tool.View, d *token.Doc) {
	stems, address := z.stems[:0], 0
	toks := v.Tokens[d.Tok0:d.Tok1]
	for k := range toks {
		t := &toks[k]
		start, end := int(t.Start), int(t.End)
		if t.First == 'h' && strings.HasPrefix(d.Text[end:], "://") {
			address = len(d.Text)
			if n := strings.IndexAny(d.Text[end:], " \n\t\"'`()<>"); n >= 0 {
				address = end + n
			}
		}

		if end <= address || start > 0 && (d.Text[start-1] == '.' || d.Text[start-1] == '@') {
			stems = append(stems, addressHash)
			continue
		}

		stems = append(stems, stemHash(d.Text[start:end]))
	}

	z.stems = stems
}

// FeaturesOf returns the features of clause k of doc d, whose words were hashed
// by Stem. The result is in buffers that the next call reuses.
func (z *Scorer) FeaturesOf(v *tool.View, d *token.Doc, k int) *sentenceFeatures {
	x := &z.features
	f := &v.Fields[d.Field]
	s := &v.Clauses[k]
	x.words, x.tokens = x.words[:0], s.Tok1-s.Tok0
	x.list = append(x.list[:0], famBias.of(0), famKind.of(uint32(f.Kind)), famForm.of(uint32(v.Tokens[s.Tok0].Form)),
		famLength.of(lengthClass(s.Tok1-s.Tok0)))
	if s.First {
		x.list = append(x.list, famFirst.of(1))
	}

	if f.Output {
		x.list = append(x.list, famOutput.of(1))
	}

	for set := uint8(s.Flags); set != 0; set &= set - 1 {
		x.list = append(x.list, famFlag.of(uint32(bits.TrailingZeros8(set))))
	}

	stems := z.stems[s.Tok0-d.Tok0 : s.Tok1-d.Tok0]
	x.meant = z.meant(v, s, stems)
	if x.meant > 0 {
		x.addPairsOfMeanings(s)
	}

	before, earlier, named := uint32(0), uint32(0), uint32(0)
	for i, h := range stems {
		if goesOn(before, h) || h == earlier {
			continue // a list, where the first item is enough
		}

		if t := &v.Tokens[s.Tok0+i]; h <= addressHash || t.End-t.Start == 1 {
			x.list = append(x.list, famWord.of(h))
		} else {
			x.words = append(x.words, famWord.of(h))
		}

		if f.Kind != tool.KindDescription {
			x.list = append(x.list, famSchemaWord.of(h))
		}

		if before != 0 {
			x.list = append(x.list, famPair.of(before*fnvPrime^h))
		}

		before, earlier = h, before
		if i := slices.Index(z.nameStems, h); i >= 0 {
			named |= 1 << i
		}
	}

	x.list = append(x.list, famNamed.of(uint32(min(bits.OnesCount32(named), 2))))
	for i := 2; i < len(stems); i++ {
		x.list = append(x.list, famTriple.of((stems[i-2]*fnvPrime^stems[i-1])*fnvPrime^stems[i]))
	}

	x.addMoods(v.Tokens[s.Tok0:s.Tok1], s)
	x.addNames(s)
	x.concepts = [meaningPlaces]concept.Set{s.Means &^ structural, foreignToTool: s.Means &^ structural &^ z.business}
	x.senses = [meaningPlaces]sense.Set{s.Senses, foreignToTool: s.Senses &^ z.things}
	if k > d.Sen0 {
		z.neighbour(v, d, 1, k-1, famWordBefore)
	}

	if k+1 < d.Sen1 {
		z.neighbour(v, d, 2, k+1, famWordAfter)
	}

	return x
}

// meant counts the words with a meaning if a sentence is in another language than
// English. Words of addresses are in no language: "com" is no Portuguese there.
func (z *Scorer) meant(v *tool.View, s *token.Sentence, stems []uint32) int {
	if !s.Foreign {
		return 0
	}

	n, foreign := 0, !s.Means.Any(concept.Foreign)
	for i, h := range stems {
		t := &v.Tokens[s.Tok0+i]
		if h == addressHash || t.Means == 0 || t.Flags&token.Ident != 0 {
			continue
		}

		n++
		foreign = foreign || t.Means.Any(concept.Foreign)
	}

	if !foreign {
		return 0
	}

	return n
}

// addPairsOfMeanings adds the pairs of a concept and another concept or a sense.
func (x *sentenceFeatures) addPairsOfMeanings(s *token.Sentence) {
	for set := uint64(s.Means &^ (structural | concept.Stop)); set != 0; set &= set - 1 {
		row := uint32(bits.TrailingZeros64(set) * meaningBits)
		for others := set & (set - 1); others != 0; others &= others - 1 {
			x.list = append(x.list, famPairOfMeanings.of(row+uint32(bits.TrailingZeros64(others))))
		}
		for senses := uint64(s.Senses); senses != 0; senses &= senses - 1 {
			x.list = append(x.list, famPairOfMeanings.of(row+64+uint32(bits.TrailingZeros64(senses))))
		}
	}
}

// addMoods adds how strongly each meaning of a verb is demanded.
func (x *sentenceFeatures) addMoods(toks []token.Token, s *token.Sentence) {
	var seen [token.MoodStrong + 1]concept.Set
	for i := range toks {
		if m := toks[i].Means &^ (structural | concept.Stop); m != 0 && toks[i].Form != lexicon.OtherForm {
			seen[token.MoodOf(toks, i, s)] |= m
		}
	}
	for mood, means := range seen {
		for set := uint64(means); set != 0; set &= set - 1 {
			x.list = append(x.list, famMood.of(uint32(mood*64+bits.TrailingZeros64(set))))
		}
	}
}

// addNames adds whose tool the sentence names.
func (x *sentenceFeatures) addNames(s *token.Sentence) {
	const each = 100 // more than concepts
	x.list = append(x.list, famNames.of(uint32(s.Names)))
	if s.Names == token.NamesNone {
		return
	}
	for set := uint64(s.Means &^ (structural | concept.Stop)); set != 0; set &= set - 1 {
		x.list = append(x.list, famNames.of(uint32(int(s.Names)*each+bits.TrailingZeros64(set))))
	}
}

// neighbour adds the sentence before or after.
func (z *Scorer) neighbour(v *tool.View, d *token.Doc, place, k int, family featureFamily) {
	s, o := &z.features, &v.Clauses[k]
	s.concepts[place], s.senses[place] = o.Means&^structural, o.Senses
	before := uint32(0)
	for _, h := range z.stems[o.Tok0-d.Tok0 : o.Tok1-d.Tok0] {
		if !goesOn(before, h) {
			s.list = append(s.list, family.of(h))
		}
		before = h
	}
}

// lengthClass maps a number of words to one of five classes.
func lengthClass(words int) uint32 {
	switch {
	case words < 4:
		return 0
	case words < 8:
		return 1
	case words < 14:
		return 2
	case words < 24:
		return 3
	}
	return 4
}

// readBusiness notes the meanings of the tool's purpose and of the names of its
// parameters.
func (z *Scorer) readBusiness(v *tool.View) {
	z.business, z.things = v.Purpose(), 0
	for i := range v.Docs {
		d := &v.Docs[i]
		switch v.Fields[d.Field].Kind {
		case tool.KindName, tool.KindParamName:
			for _, t := range v.Tokens[d.Tok0:d.Tok1] {
				z.business |= t.Means
				z.things |= t.Senses
			}
		}
	}
}

// maxNameStems bounds the number of words of a name that sentences are compared
// with.
const maxNameStems = 16

// stemName hashes the words of the tool's name.
func (z *Scorer) stemName(v *tool.View) {
	z.nameStems = z.nameStems[:0]
	if len(v.Docs) == 0 || v.Fields[v.Docs[0].Field].Kind != tool.KindName {
		return
	}
	d := &v.Docs[0]
	for _, t := range v.Tokens[d.Tok0:d.Tok1] {
		if t.End-t.Start > 2 && len(z.nameStems) < maxNameStems {
			z.nameStems = append(z.nameStems, stemHash(d.Text[t.Start:t.End]))
		}
	}
}

const (
	// numberHash is the hash of all words with a digit.
	numberHash = 1
	// addressHash is the hash of the words of an address.
	addressHash = 2
)

// goesOn reports whether another word with the same stem adds nothing, as in a
// list of numbers or an address.
func goesOn(before, h uint32) bool { return h == before && h <= addressHash }

// stemHash hashes a word in lower case without the most common English endings.
// All words with digits have one hash.
func stemHash(w string) uint32 {
	h, end := uint32(fnvOffset), stemEnd(w)
	for i := 0; i < end; i++ {
		c := stemBytes[w[i]]
		switch c {
		case 0:
			return numberHash
		case 0x80:
			return stemHashBeyond(w)
		}

		h = (h ^ uint32(c)) * fnvPrime
	}

	return h
}

// stemBytes maps ASCII bytes to lower case, digits to 0, and other bytes to
// 0x80.
var stemBytes = func() (t [256]byte) {
	for b := range t {
		switch c := byte(b); {
		case c >= utf8.RuneSelf:
			t[b] = utf8.RuneSelf
		case c >= '0' && c <= '9':
		default:
			t[b] = char.Lower(c)
		}
	}
	return t
}()

func stemHashBeyond(w string) uint32 {
	h := uint32(fnvOffset)
	for _, r := range w {
		r = unicode.ToLower(r)
		if r >= '0' && r <= '9' {
			return numberHash
		}

		for range utf8.RuneLen(r) {
			h = (h ^ uint32(r&0xff)) * fnvPrime
			r >>= 8
		}
	}

	return h
}

// stemEnd returns the length of a word without -ing, -ed, -es, -s and a
// preceding e.
func stemEnd(w string) int {
	n := len(w)
	if n <= 5 {
		return n
	}

	last, second := w[n-1]|0x20, w[n-2]|0x20
	switch {
	case last == 'g' && second == 'n' && w[n-3]|0x20 == 'i':
		n -= 3
	case (last == 'd' || last == 's') && second == 'e':
		n -= 2
	case last == 's':
		n--
	}

	if w[n-1]|0x20 == 'e' {
		n--
	}

	return n
}
