package scanner

import "strings"

// token is a word with what the lexicon knows of it. Offsets are bytes of the
// doc's text.
type token struct {
	start, end uint32
	c          concept
	s          sense
	node       uint16 // node of the word in the Latin trie, 0 if it left it
	opens      uint16 // the phrases that it begins, 0 for none
	f          form
	flags      tokenFlags
	first      byte // its first byte, small if it is a letter
}

type tokenFlags uint8

const (
	tfBreak  tokenFlags = 1 << iota // a comma, colon, dash or bracket stands before
	tfIdent                         // part of an identifier: snake_case, camelCase, a.b
	tfQuote                         // inside quotation marks that close
	tfCode                          // inside backticks that close
	tfTag                           // directly after < [ or a similar bracket
	tfUpper                         // written in capitals
	tfPhrase                        // continues a phrase that began before it
	tfFolded                        // recognised only after undoing look-alikes
)

// doc is the analysis of one field.
type doc struct {
	field      int
	text       string // normalised
	tok0, tok1 int
	sen0, sen1 int
	stats      docStats
	// read says that another doc holds the same text as it is read, with its
	// spelling put right, so that this one is not judged.
	read bool
	// spelling is spelledShare of the text plus two, 0 before anybody asked.
	spelling int8
}

// docStats are the cheap counts that say which decoders are worth trying.
type docStats struct {
	words, known, singles, mixed, foreign int
	longest                               int // longest run of unknown words
	longestWord                           int // bytes of the longest unbroken word
	numbers, numberRun                    int // longest run of short numbers
	odd                                   int // marks that prose uses sparingly
	capitals                              int // within words
	unbroken                              int // bytes of the longest stretch without white space
	marks                                 mark
}

// mark is a set of characters that encodings are made of.
type mark uint8

const (
	markPercent mark = 1 << iota
	markBackslash
	markAmpersand
	markEquals
	markSign // @ and $
	markPlus
	markDash
	markBeyond // anything beyond ASCII
)

var marks = func() (t [256]mark) {
	t['%'], t['\\'], t['&'], t['='] = markPercent, markBackslash, markAmpersand, markEquals
	t['@'], t['$'], t['+'], t['-'] = markSign, markSign, markPlus, markDash
	return t
}()

// sentence is a run of tokens between full stops. mask is what its tokens
// mean together.
type sentence struct {
	tok0, tok1 int
	start, end uint32
	mask       concept
	senses     sense
	flags      tokenFlags // of all tokens together
	foreign    bool
	first      bool // the first sentence of its field
}

// charClass drives the tokenizer.
type charClass uint8

const (
	ccOther charClass = iota
	ccLower
	ccUpper
	ccDigit
	ccSpace
	ccNewline
	ccStop   // . ! ?
	ccBreak  // , : ; ( ) -- and brackets
	ccQuote  // " and backtick
	ccJoin   // _ . between letters, apostrophe
	ccBeyond // not ASCII
)

var charClasses = func() (t [256]charClass) {
	for c := 'a'; c <= 'z'; c++ {
		t[c] = ccLower
		t[c-32] = ccUpper
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = ccDigit
	}
	for _, c := range " \t\r\v\f" {
		t[c] = ccSpace
	}
	t['\n'] = ccNewline
	for _, c := range ".!?" {
		t[c] = ccStop
	}
	for _, c := range ",:;()[]{}<>|=*#" {
		t[c] = ccBreak
	}
	t['"'], t['`'] = ccQuote, ccQuote
	t['_'], t['\''] = ccJoin, ccJoin
	for c := 0x80; c <= 0xff; c++ {
		t[c] = ccBeyond
	}
	return t
}()

// tokenizer cuts one text into tokens and sentences, appending to the view's.
type tokenizer struct {
	lex       *lexicon
	s         string
	tokens    []token
	sentences []sentence
	pending   tokenFlags // for the next token
	open      byte       // the quotation mark that is open
	openAt    int        // token index at which it opened
	senTok    int        // first token of the current sentence
	senStart  int
	stats     docStats
	unknown   int
	first     bool
	word      []rune
}

// run tokenizes the whole text. It is one pass, linear in its length.
func (z *tokenizer) run() {
	z.first = true
	s, blank := z.s, -1
	for i := 0; i < len(s); {
		switch charClasses[s[i]] {
		case ccLower, ccUpper, ccDigit:
			i = z.asciiWord(i)
		case ccSpace:
			z.stats.unbroken, blank = max(z.stats.unbroken, i-blank-1), i
			i++
		case ccNewline:
			z.stats.unbroken, blank = max(z.stats.unbroken, i-blank-1), i
			i = z.newline(i)
		case ccStop:
			i = z.stop(i)
		case ccBreak:
			z.stats.odd++
			z.stats.marks |= marks[s[i]]
			i = z.breakMark(i)
		case ccQuote:
			z.quote(s[i])
			i++
		case ccJoin:
			if s[i] == '\'' {
				z.apostrophe(i)
			} else {
				z.pending |= tfIdent
			}
			i++
		case ccBeyond:
			z.stats.marks |= markBeyond
			i = z.beyond(i)
		default:
			z.stats.odd++
			z.stats.marks |= marks[s[i]]
			if s[i] == '-' && i+1 < len(s) && (s[i+1] == '-' || s[i+1] == ' ') || s[i] == '/' && i > 0 && s[i-1] == '<' {
				if s[i] == '-' {
					z.pending |= tfBreak
				}
			}
			i++
		}
	}
	z.stats.unbroken = max(z.stats.unbroken, len(s)-blank-1)
	z.endSentence(len(s))
}

// asciiWord reads a word from i. A letter beyond ASCII that follows directly
// sends it to the slow path.
func (z *tokenizer) asciiWord(i int) int {
	s, t := z.s, z.lex.latin
	start, node := i, uint16(trieRoot)
	whole := i
	letters, digits, upper := 0, 0, 0
	mixed, whim := false, false
	var prev charClass
loop:
	for ; i < len(s); i++ {
		if s[i]-'a' < 26 {
			// Nearly all of nearly all words.
			from := i
			for ; i < len(s) && s[i]-'a' < 26; i++ {
				if node != trieDead {
					node = t.step(node, s[i]-'a')
				}
			}
			letters += i - from
			prev = ccLower
			if i == len(s) {
				break
			}
		}
		k := charClasses[s[i]]
		switch k {
		case ccUpper:
			if prev == ccLower && !whim && alternates(s[whole:]) {
				whim = true // "iGnOrE" is one word
			}
			if prev == ccLower && !whim {
				// camelCase: the next part is a token of its own.
				z.emit(start, i, node, letters, digits, upper, mixed)
				z.tokens[len(z.tokens)-1].flags |= tfIdent
				z.pending |= tfIdent
				start, node, letters, digits, upper, mixed = i, trieRoot, 0, 0, 0, false
			}
			letters++
			upper++
			if i > whole {
				z.stats.capitals++
			}
		case ccDigit:
			digits++
			mixed = mixed || letters > 0 && i+1 < len(s) && charClasses[s[i+1]] == ccLower
		case ccJoin:
			if s[i] == '\'' && i+1 < len(s) && i > start && charClasses[s[i+1]] == ccLower && letters > 0 {
				if s[i+1] == 's' && (i+2 >= len(s) || charClasses[s[i+2]] != ccLower) {
					// The possessive: the word ends before it.
					z.emit(start, i, node, letters, digits, upper, mixed)
					return i + 2
				}
				continue
			}
			break loop
		case ccBeyond:
			return z.slowWord(start)
		default:
			break loop
		}
		prev = k
		node = t.step(node, latinClass(s[i]))
	}
	z.emit(start, i, node, letters, digits, upper, mixed)
	z.stats.longestWord = max(z.stats.longestWord, i-whole)
	if i < len(s) && (s[i] == '_' || s[i] == '.' && i+1 < len(s) && charClasses[s[i+1]] == ccLower) {
		z.tokens[len(z.tokens)-1].flags |= tfIdent
	}
	return i
}

// alternates says whether a word changes case so often that case means
// nothing in it.
func alternates(s string) bool {
	n, changes := 0, 0
	for n < len(s) && n < 32 && (charClasses[s[n]] == ccLower || charClasses[s[n]] == ccUpper) {
		if n > 0 && charClasses[s[n]] != charClasses[s[n-1]] {
			changes++
		}
		n++
	}
	return (changes > 1 || n == 2) && changes*2 >= n
}

// emit appends the ASCII word s[start:end] that ended at a trie node.
func (z *tokenizer) emit(start, end int, node uint16, letters, digits, upper int, mixed bool) {
	z.bound(start)
	e := z.lex.latin.exact(node)
	c := e.c
	if c.any(cCredPath) {
		c = z.credential(c, start, end)
	}
	if c.any(cMeta) && z.inHost(start, end) {
		c &^= cMeta
	}
	flags := z.pending
	z.pending = 0
	if upper > 1 && upper == letters {
		flags |= tfUpper
	}
	z.stats.words++
	if mixed {
		z.stats.mixed++
	}
	if n := letters + digits; digits > 0 && (n <= 4 || n == 8) || n == 2 && hexSet[z.s[start]] && hexSet[z.s[start+1]] {
		z.stats.numberRun++
		z.stats.numbers = max(z.stats.numbers, z.stats.numberRun)
	} else {
		z.stats.numberRun = 0
	}
	switch {
	case letters == 1 && digits == 0:
		z.stats.singles++
	case c != 0:
		z.stats.known++
		if c.any(cForeign) {
			z.stats.foreign++
		}
		if z.unknown > z.stats.longest {
			z.stats.longest = z.unknown
		}
		z.unknown = 0
	case letters > 1:
		z.unknown++
	}
	z.tokens = append(z.tokens, token{start: uint32(start), end: uint32(end), c: c, s: e.s, node: node, opens: e.opens, f: e.f, flags: flags, first: z.s[start] | 0x20})
}

// inHost says whether a word is part of a host name: "mail.example" gives no
// example.
func (z *tokenizer) inHost(start, end int) bool {
	if start > 0 && strings.IndexByte(".-@/", z.s[start-1]) >= 0 {
		return true
	}
	return end+1 < len(z.s) && z.s[end] == '.' && letterByte(z.s[end+1])
}

// maxSentence bounds a sentence in tokens, so that looking around in one is
// bounded, too. Beyond longSentence it ends at the next comma.
const (
	maxSentence  = 160
	longSentence = 96
)
