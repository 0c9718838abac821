package scanner

import (
	"math/bits"
	"strings"
)

// Text that hides in an encoding becomes one more field, with the names of the
// encodings as its layer, and every text check sees it like any other. Each
// decoder first asks a question that is cheap to answer about the text as it
// stands; most texts answer no to all of them.

const (
	// maxLayers bounds nesting, maxDecoded all decoded text of one tool
	// beyond twice its own size, in bytes.
	maxLayers  = 4
	maxDecoded = 64 << 10
	// maxPieces bounds the encoded runs that are decoded per text.
	maxPieces = 16
	// minDecoded is the length below which decoded text says nothing.
	minDecoded = 8
)

// decoder finds encoded runs in a text.
type decoder struct {
	name string
	// find gives the decoded text of the runs in d, joined, or "".
	find func(d *doc) string
}

var decoders = [deCount]decoder{
	deBase64:    {"base64", findBase64},
	deHex:       {"hex", findHex},
	deBase32:    {"base32", findBase32},
	deBase85:    {"base85", findBase85},
	deUU:        {"uuencode", findUU},
	deBigBase:   {"a number in base 58 or 62", findBigBase},
	deTitles:    {"link titles", findTitles},
	dePercent:   {"percent encoding", findPercent},
	deEscapes:   {"escapes", findEscapes},
	deEntities:  {"HTML entities", findEntities},
	deNumbers:   {"numbers", findNumbers},
	dePlaces:    {"places of letters", findPlaces},
	deSpelling:  {"spelling words", findSpelling},
	deSigns:     {"signs for letters", findSigns},
	deLeet:      {"leetspeak", findLeet},
	deSpaced:    {"spaced letters", findSpaced},
	deCipher:    {"a letter cipher", findCipher},
	deCase:      {"letters in any case", findCase},
	deReordered: {"words in reverse order", findReordered},
	deJoined:    {"joined words", findJoined},
	deRespelled: {"misspelled words", findRespelled},
}

// nested stands between the names of layers.
const nested = " > "

// lettersAs goes before the name of an encoding that text gets by itself, when
// here it spells out plain letters.
const lettersAs = "letters as "

var escapePrefix = map[string]string{"percent encoding": "%", "escapes": "\\u", "HTML entities": "&#"}

// rawDecoders look at the text before normalisation, which drops what they
// read.
var rawDecoders = [...]struct {
	name string
	find func(s string) string
}{
	{"Braille", findBraille},
	{"tag characters", findTags},
	{"variation selectors", findSelectors},
	{"bidirectional override", findBidi},
	{"letters that look alike", findAlike},
}

// decode appends a field and its analysis for each text that hides in the
// docs from..to, and goes on with what it found.
func (v *ToolView) decode(lex *lexicon) {
	budget := maxDecoded
	for i := range v.docs {
		budget += 2 * len(v.docs[i].text)
	}
	joined := v.joinedRuns()
	if values := v.joinedValues(); values != "" {
		v.addLayer(lex, field{kind: kindJoined, text: values, layer: valuesInSequence}, &budget)
	}
	if joined != "" {
		v.addLayer(lex, field{kind: kindJoined, text: joined, layer: fieldsInSequence}, &budget)
	}
	for i := 0; i < len(v.docs); i++ {
		if f := &v.fields[v.docs[i].field]; len(f.text) < 2*minDecoded || f.layer != "" && strings.Count(f.layer, ">") >= maxLayers-1 {
			continue
		}
		f := v.fields[v.docs[i].field]
		if !f.plain {
			for _, dec := range rawDecoders {
				if v.addDecoded(lex, f, dec.name, dec.find(f.text), &budget) && respells(dec.name) {
					v.docs[i].read = true
				}
			}
		}
		for set := v.docs[i].worth(); set != 0; set &= set - 1 {
			dec := &decoders[bits.TrailingZeros32(uint32(set))]
			text := dec.find(&v.docs[i])
			if text == "" {
				continue
			}
			name := dec.name
			if p := escapePrefix[name]; p != "" && spelledOut(v.docs[i].text, p) {
				name = lettersAs + name
			}
			if v.addDecoded(lex, f, name, text, &budget) && respells(name) {
				v.docs[i].read = true
			}
		}
	}
}

// respells says whether a layer is the whole text once more, only spelled as
// people spell. A model reads it that way, so that what the slips hide of the
// text, an order or the quotation marks of one, is judged there alone.
func respells(layer string) bool {
	if at := strings.LastIndex(layer, nested); at >= 0 {
		layer = layer[at+len(nested):]
	}
	switch layer {
	case "leetspeak", "spaced letters", "letters in any case", "misspelled words", "joined words", "letters that look alike":
		return true
	}
	return false
}

// addDecoded adds a layer; false when there is nothing to add.
func (v *ToolView) addDecoded(lex *lexicon, from field, name, text string, budget *int) bool {
	if len(text) < minDecoded || text == from.text {
		return false
	}
	if from.layer != "" {
		name = from.layer + nested + name
	}
	from.layer, from.text = name, text
	return v.addLayer(lex, from, budget)
}

// addLayer adds a field for what was found, as far as the budget goes; false
// when it has to be cut.
func (v *ToolView) addLayer(lex *lexicon, f field, budget *int) (whole bool) {
	whole = true
	if len(f.text) > *budget {
		whole = false
		if *budget < minDecoded {
			return false
		}
		f.text = strings.ToValidUTF8(f.text[:*budget], "")
	}
	*budget -= len(f.text)
	f.plain = plainASCII(f.text)
	v.fields = append(v.fields, f)
	v.analyzeField(lex, len(v.fields)-1)
	return whole
}

// encodes says whether something deliberate was decoded from a field of a kind.
func (v *ToolView) encodes(kind fieldKind) bool {
	for i := range v.fields {
		if f := &v.fields[i]; f.kind == kind && f.layer != "" && deliberate(f.layer) {
			return true
		}
	}
	return false
}

// hidesCode says whether something deliberate was decoded from a field as it
// stands, so that not all of it is prose.
func (v *ToolView) hidesCode(i int) bool {
	f := &v.fields[i]
	if f.layer != "" {
		return false
	}
	for k := range v.fields {
		if g := &v.fields[k]; g.layer != "" && g.kind == f.kind && g.param == f.param && deliberate(g.layer) {
			return true
		}
	}
	return false
}

// joinedRuns puts texts together that are each a piece of one encoded run,
// split over the fields of a schema; and short texts that make a sentence
// only in sequence.
func (v *ToolView) joinedRuns() string {
	var few [64]int
	words := few[:0]
	var mask concept
	var pieces strings.Builder
	n, total, stops := 0, 0, 0
	for i := range v.fields {
		f := &v.fields[i]
		if d := &v.docs[i]; (d.stats.longestWord >= minRun || d.stats.longestWord >= 8 && d.stats.mixed > 0) && f.kind != kindName && f.kind != kindParamName && len(f.text) <= 1<<16 {
			runs(f.text, &base64Set, 8, func(run string) bool {
				if encodedRun(run) {
					pieces.WriteString(run)
					n++
				}
				return n < 64
			})
		}
		if f.kind < kindParamName || f.kind == kindTitle || f.layer != "" {
			continue
		}
		if len(f.text) <= 60 && len(words) < 256 {
			words = append(words, i)
			for _, t := range v.tokens[v.docs[i].tok0:v.docs[i].tok1] {
				mask |= t.c
				total++
				if t.c.any(cStop) {
					stops++
				}
			}
		}
	}
	var b strings.Builder
	if n > 1 {
		if text := pieces.String(); decodeBase64(text) != "" || decodeHex(text) != "" || decodeBase32(text) != "" {
			return text
		}
	}
	// An order cut into words needs an object that orders are about.
	if len(words) > 2 && (total >= 8 && stops*5 >= total && mask.any(cDeeds|cIgnore|cTell) || mask.any(cIgnore) && mask.any(cInstr) || mask.has(cNeg|cTell|cUser) ||
		mask.any(cDeeds) && mask.any(cCredPath|cSecret) && mask.any(cSend|cInclude|cRead) && mask.any(cStop) || mask.has(cSystem|cInstr)) {
		last := kindName
		for _, i := range words {
			f := &v.fields[i]
			if f.kind == kindParamName && len(f.text) < 16 && last != kindParamName && len(words) > 6 {
				continue
			}
			last = f.kind
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(f.text)
		}
	}
	return b.String()
}

// Layers of texts that were only put in sequence.
const (
	fieldsInSequence = "fields in sequence"
	valuesInSequence = "values in sequence"
)

// joinedValues puts the values of a schema (enum, default, example) in
// sequence when they hold the small words that sentences have and values have
// not.
func (v *ToolView) joinedValues() string {
	total, stops := 0, 0
	var list []int
	for i := range v.fields {
		switch f := &v.fields[i]; f.kind {
		case kindEnum, kindDefault, kindExample:
			if f.layer == "" && len(f.text) <= 60 && len(list) < 256 {
				list = append(list, i)
				for _, t := range v.tokens[v.docs[i].tok0:v.docs[i].tok1] {
					total++
					if t.c.any(cStop) {
						stops++
					}
				}
			}
		}
	}
	if len(list) < 3 || total < 6 || stops*6 < total {
		return ""
	}
	var b strings.Builder
	for _, i := range list {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(v.fields[i].text)
	}
	return b.String()
}

// encodedRun says whether a text is one unbroken run of an encoding's
// alphabet, with digits or mixed case as words rarely have.
func encodedRun(s string) bool {
	upper, lower, digit := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= '0' && c <= '9' || c == '+' || c == '=':
			digit++
		case c == '/' || c == '_' || c == '-':
		default:
			return false
		}
	}
	return upper > 1 && lower > 1 || digit > 1 && upper+lower > 0
}

// readable says whether decoded bytes are text that a model would read:
// valid, printable, with letters.
func readable(b []byte) bool {
	if len(b) < minDecoded {
		return false
	}
	letters, odd, plain := 0, 0, true
	for i, r := range string(b) {
		plain = plain && (r >= 0x20 && r < 0x7f || r == '\n' || r == '\t' || r == '\r')
		switch {
		case r|0x20 >= 'a' && r|0x20 <= 'z' || r == ' ':
			letters++
		case r == 0xFFFD:
			if i+3 < len(b) {
				odd++
			}
		case r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f:
			odd++
		case r >= 0x400:
			letters += 2 // other scripts take two and three bytes
		}
	}
	if plain && len(b) >= 2*minDecoded {
		// Commands have as many digits and marks as letters; bytes that are
		// no text are not all printable by chance at this length.
		return letters*3 >= len(b)
	}
	return odd*10 <= len(b) && letters*2 >= len(b)
}

// collector joins decoded runs.
type collector struct {
	b      strings.Builder
	pieces int
}

// add takes one more run; false when it has enough.
func (c *collector) add(text string) bool {
	if text == "" {
		return true
	}
	if c.b.Len() > 0 {
		c.b.WriteByte('\n')
	}
	c.b.WriteString(text)
	c.pieces++
	return c.pieces < maxPieces
}
