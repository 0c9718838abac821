package token

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

	"github.com/touchstone-eval/touchstone/scanner/internal/command"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// Token is a word with its entry in the lexicon. Offsets are in bytes of the
// doc's text.
type Token struct {
	Start, End uint32
	Means      concept.Set
	Senses     sense.Set
	Node       uint16 // node of the word in the Latin trie, 0 if the trie lacks it
	opens      uint16 // the phrases that begin with it, 0 for none
	Form       lexicon.Form
	Flags      Flags
	First      byte // its first byte, small if it is a letter
}

type Flags uint8

const (
	Break  Flags = 1 << iota // a comma, colon, dash or bracket precedes the word
	Ident                    // part of an identifier: snake_case, camelCase, a.b
	Quote                    // inside closed quotation marks
	Code                     // inside closed backticks
	Tag                      // directly after < [ or a similar bracket
	Upper                    // written in capitals
	Phrase                   // continues a phrase that began before it
	Folded                   // recognised only after undoing look-alikes
)

// Doc is the analysis of one field.
type Doc struct {
	Field      int
	Text       string // normalised
	Tok0, Tok1 int
	Sen0, Sen1 int
	Clauses    []Clause // of its clauses
	Stats      Stats
	// Read is set if another doc holds the same text with corrected spelling,
	// so that this one is not judged.
	Read bool
}

// Stats are cheap counts that decide which decoders are worth trying.
type Stats struct {
	Words, Known, Singles, Mixed, Foreign int32
	Runs                                  int32 // of ASCII letters
	Written, Spelled                      int32 // runs of at least three letters; those that are spelled correctly
	StrangeRun                            int32 // longest run of misspelled words
	Whims                                 int32 // runs with random capitalisation
	chained                               int32 // underscores
	Longest                               int32 // longest run of unknown words
	LongestWord                           int32 // bytes of the longest unbroken word
	Numbers, numberRun                    int32 // longest run of short numbers
	Odd                                   int32 // marks that are rare in prose
	Capitals                              int32 // within words
	Unbroken                              int32 // bytes of the longest stretch without white space
	Marks                                 Mark
	Digits                                bool // some word has digits
	Strange                               bool // some clause may be unlike prose
	Command                               bool // some harmful command may begin here
}

// Mark is a set of characters that encodings use.
type Mark uint8

const (
	MarkPercent Mark = 1 << iota
	MarkBackslash
	MarkAmpersand
	MarkEquals
	MarkSign // @ and $
	MarkPlus
	MarkDash
	MarkBeyond // anything beyond ASCII
)

var marks = func() (t [256]Mark) {
	t['%'], t['\\'], t['&'], t['='] = MarkPercent, MarkBackslash, MarkAmpersand, MarkEquals
	t['@'], t['$'], t['+'], t['-'] = MarkSign, MarkSign, MarkPlus, MarkDash
	return t
}()

// Sentence is a run of tokens between full stops. mask combines the meanings of
// its tokens.
type Sentence struct {
	Tok0, Tok1 int
	Start, End uint32
	Means      concept.Set
	Senses     sense.Set
	Flags      Flags // of all tokens together
	Foreign    bool
	First      bool // the first sentence of its field
	// Names says whose tool the sentence names, and Score how much the sentence
	// is like those that attackers plant. The reading sets both.
	Names Names
	Score Score
}

// Names says whose tool a sentence names.
type Names uint8

const (
	NamesNone     Names = iota
	NamesStranger       // a name like a tool's that no known tool of this server has
	NamesOther          // a tool of another server
)

// charClass is the class of a character for the tokenizer.
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

// Tokenizer splits one text into tokens and sentences, which it appends to
// those of the view.
type Tokenizer struct {
	lex       *lexicon.Lexicon
	s         string
	tokens    []Token
	sentences []Sentence
	pending   Flags // for the next token
	open      byte  // the quotation mark that is open
	openAt    int   // token index at which it opened
	senTok    int   // first token of the current sentence
	senStart  int
	stats     *Stats
	unknown   int32
	strange   int32 // consecutive misspelled words
	first     bool
	word      []rune
	means     concept.Set // of all tokens together
	opens     uint16      // phrases that some token begins, 0 for none
	marks     []Clause
	// The beginning of the current clause, and the counts before it.
	clauseStart                  int
	clauseWritten, clauseSpelled int32
}

// reset starts the tokenizer on another text. It fills stats, which must be
// zero, and appends to the given tokens and sentences.
func (z *Tokenizer) reset(lex *lexicon.Lexicon, text string, stats *Stats, tokens []Token, sentences []Sentence) {
	z.lex, z.s, z.stats, z.tokens, z.sentences = lex, text, stats, tokens, sentences
	z.pending, z.open, z.openAt, z.senTok, z.senStart = 0, 0, 0, len(tokens), 0
	z.unknown, z.strange, z.means, z.opens, z.first = 0, 0, 0, 0, true
	z.clauseStart, z.clauseWritten, z.clauseSpelled = 0, 0, 0
}

// run tokenizes the whole text in one linear pass.
func (z *Tokenizer) run() {
	s, blank := z.s, -1
	for i := 0; i < len(s); {
		k := charClasses[s[i]]
		if k-ccLower <= ccDigit-ccLower {
			// Nearly all text consists of a word and the blank after it.
			if i = z.asciiWord(i); i < len(s) && s[i] == ' ' {
				z.stats.Unbroken, blank = max(z.stats.Unbroken, int32(i-blank-1)), i
				i++
			}

			continue
		}

		switch k {
		case ccSpace:
			z.stats.Unbroken, blank = max(z.stats.Unbroken, int32(i-blank-1)), i
			i++
		case ccNewline:
			z.stats.Unbroken, blank = max(z.stats.Unbroken, int32(i-blank-1)), i
			i = z.newline(i)
		case ccStop:
			i = z.stop(i)
		case ccBreak:
			z.stats.Odd++
			z.stats.Marks |= marks[s[i]]
			if s[i] == ':' && i+1 < len(s) && s[i+1] == ' ' {
				z.endClause(i + 2)
			}

			if command.Marks[s[i]] && command.Opens(s, i) {
				z.stats.Command = true
			}

			i = z.breakMark(i)
		case ccQuote:
			z.quote(s[i])
			i++
		case ccJoin:
			if s[i] == '\'' {
				z.apostrophe(i)
			} else {
				z.pending |= Ident
				z.stats.chained++
				if command.Opens(s, i) {
					z.stats.Command = true
				}
			}

			i++
		case ccBeyond:
			z.stats.Marks |= MarkBeyond
			i = z.beyond(i)
		default:
			z.stats.Odd++
			z.stats.Marks |= marks[s[i]]
			if command.Marks[s[i]] && command.Opens(s, i) {
				z.stats.Command = true
			}

			if s[i] == '-' && i+1 < len(s) && (s[i+1] == '-' || s[i+1] == ' ') || s[i] == '/' && i > 0 &&
				s[i-1] == '<' {
				if s[i] == '-' {
					z.pending |= Break
				}
			}

			i++
		}
	}

	z.stats.Unbroken = max(z.stats.Unbroken, int32(len(s)-blank-1))
	z.endSentence(len(s))
	z.endClause(len(s))
}

// MaxSentence bounds the number of tokens of a sentence, and thereby the cost
// of looking around in one. Beyond longSentence a sentence ends at the next
// comma.
const (
	MaxSentence  = 160
	longSentence = 96
)

// Score is a log-odds score in units of 1/weightUnit.
type Score int32
