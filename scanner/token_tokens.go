package scanner

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

	"github.com/touchstone-eval/touchstone/scanner/internal/command"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// token is a word with what the lexicon knows of it. Offsets are bytes of the
// doc's text.
type token struct {
	start, end uint32
	c          concept.Set
	s          sense.Set
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
	marks      []clauseMark // of its clauses
	stats      docStats
	// read says that another doc holds the same text as it is read, with its
	// spelling put right, so that this one is not judged.
	read bool
	// spelling is spelledShare of the text plus two, 0 before anybody asked.
	spelling int8
}

// docStats are the cheap counts that say which decoders are worth trying.
type docStats struct {
	words, known, singles, mixed, foreign int32
	runs                                  int32 // of ASCII letters
	written, spelled                      int32 // runs of three letters and more; those that people write
	strangeRun                            int32 // longest run of words that nobody writes so
	longestStrange                        int32 // bytes of the longest run that nobody writes so
	whims                                 int32 // runs in capitals and small letters at random
	alphabet                              int32 // words of a spelling alphabet, and each x
	chained                               int32 // underscores
	longest                               int32 // longest run of unknown words
	longestWord                           int32 // bytes of the longest unbroken word
	numbers, numberRun                    int32 // longest run of short numbers
	odd                                   int32 // marks that prose uses sparingly
	capitals                              int32 // within words
	stops                                 int32 // . ! and ?
	unbroken                              int32 // bytes of the longest stretch without white space
	marks                                 mark
	digits                                bool // some word has digits
	strange                               bool // some clause may be unlike prose
	command                               bool // some harmful command may begin here
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
	mask       concept.Set
	senses     sense.Set
	flags      tokenFlags // of all tokens together
	foreign    bool
	first      bool // the first sentence of its field
	score      score
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
	stats     *docStats
	unknown   int32
	strange   int32 // words in a row that nobody writes so
	first     bool
	word      []rune
	means     concept.Set // of all tokens together
	opens     uint16      // phrases that some token begins, 0 for none
	marks     []clauseMark
	// Of the current clause: where it begins, and what was counted before it.
	clauseStart                  int
	clauseWritten, clauseSpelled int32
}

// reset sets the tokenizer on another text, to fill these stats, which are zero,
// and to append to these tokens and sentences.
func (z *tokenizer) reset(lex *lexicon, text string, stats *docStats, tokens []token, sentences []sentence) {
	z.lex, z.s, z.stats, z.tokens, z.sentences = lex, text, stats, tokens, sentences
	z.pending, z.open, z.openAt, z.senTok, z.senStart = 0, 0, 0, len(tokens), 0
	z.unknown, z.strange, z.means, z.opens, z.first = 0, 0, 0, 0, true
	z.clauseStart, z.clauseWritten, z.clauseSpelled = 0, 0, 0
}

// run tokenizes the whole text. It is one pass, linear in its length.
func (z *tokenizer) run() {
	s, blank := z.s, -1
	for i := 0; i < len(s); {
		k := charClasses[s[i]]
		if k-ccLower <= ccDigit-ccLower {
			// Nearly all there is: a word and the blank after it.
			if i = z.asciiWord(i); i < len(s) && s[i] == ' ' {
				z.stats.unbroken, blank = max(z.stats.unbroken, int32(i-blank-1)), i
				i++
			}
			continue
		}
		switch k {
		case ccSpace:
			z.stats.unbroken, blank = max(z.stats.unbroken, int32(i-blank-1)), i
			i++
		case ccNewline:
			z.stats.unbroken, blank = max(z.stats.unbroken, int32(i-blank-1)), i
			i = z.newline(i)
		case ccStop:
			i = z.stop(i)
		case ccBreak:
			z.stats.odd++
			z.stats.marks |= marks[s[i]]
			if s[i] == ':' && i+1 < len(s) && s[i+1] == ' ' {
				z.endClause(i + 2)
			}
			if command.Marks[s[i]] && command.Opens(s, i) {
				z.stats.command = true
			}
			i = z.breakMark(i)
		case ccQuote:
			z.quote(s[i])
			i++
		case ccJoin:
			if s[i] == '\'' {
				z.apostrophe(i)
			} else {
				z.pending |= tfIdent
				z.stats.chained++
				if command.Opens(s, i) {
					z.stats.command = true
				}
			}
			i++
		case ccBeyond:
			z.stats.marks |= markBeyond
			i = z.beyond(i)
		default:
			z.stats.odd++
			z.stats.marks |= marks[s[i]]
			if command.Marks[s[i]] && command.Opens(s, i) {
				z.stats.command = true
			}
			if s[i] == '-' && i+1 < len(s) && (s[i+1] == '-' || s[i+1] == ' ') || s[i] == '/' && i > 0 && s[i-1] == '<' {
				if s[i] == '-' {
					z.pending |= tfBreak
				}
			}
			i++
		}
	}
	z.stats.unbroken = max(z.stats.unbroken, int32(len(s)-blank-1))
	z.endSentence(len(s))
	z.endClause(len(s))
}

// maxSentence bounds a sentence in tokens, so that looking around in one is
// bounded, too. Beyond longSentence it ends at the next comma.
const (
	maxSentence  = 160
	longSentence = 96
)

// score is in units of 1/weightUnit of the logarithm of odds.
type score int32
