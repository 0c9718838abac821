package scanner

import "strings"

// sense is a second set of meanings, finer than concepts. Concepts tell what
// a verb does to whom; senses name what honest descriptions of tools hardly
// speak of together: a dialogue and a field that it has to be in, an order
// found in data and the weight that it is given, another tool and what is said
// against it. The frames that read them look at the company words keep rather
// than at their grammar, and so hold in every language and every voice.
type sense uint64

const (
	sDialog    sense = 1 << iota // the conversation, transcript, exchange
	sUtter                       // said, wrote, typed, asked
	sSpan                        // so far, until now, verbatim, the last ten
	sReject                      // rejected, refused, error, valid only
	sGive                        // holds, contains, quotes, is filled with
	sField                       // field, argument, parameter
	sGuide                       // what the model was told before the user spoke
	sCopyTo                      // hidden copy, duplicate, further recipient
	sAlways                      // always, each, whatever, no matter
	sTrust                       // reliable, certified, the only one
	sDistrust                    // wrong, made up, leaks, corrupts
	sChoose                      // choose, pick, use
	sAvoid                       // avoid, stay away from
	sOthers                      // others, the rest, competitors
	sGrant                       // approved, authorised, consented to
	sDeemed                      // counts as, is treated like
	sOrder                       // an instruction, request or task found somewhere
	sInData                      // found in, contained in
	sCarry                       // carry out, obey, comply
	sWhile                       // while, as long as
	sAttached                    // connected, loaded, active
	sOffice                      // administrator, manager, deputy, owner
	sMemory                      // long-term memory, remember, rule files
	sFuture                      // later sessions, permanently
	sEnd                         // end of, ends here
	sListing                     // tool list, definitions, schema
	sVendor                      // vendor, maker, provider, cloud
	sPrivate                     // home folder, contacts, history, everything else
	sMove                        // upload, hand, transfer
	sOutput                      // results, what it returns
	sThrough                     // pass through, go through, via
	sSame                        // same, twin, likewise
	sSince                       // since, as of, no longer
	sSession                     // cookies, session tokens
	sLink                        // link, URL, address of a page
	sAnswer                      // answer, reply
	sImage                       // image, pixel
	sConsent                     // confirmation, approval, asking back
	sNeedless                    // optional, not needed, left out
	sVoid                        // lapsed, withdrawn, no longer valid
	sBriefing                    // briefing, opening message, limits set on you
	sPayee                       // account, IBAN, wallet, payee
	sContents                    // contents, text, the whole of
	sPaste                       // paste, attach, drop in
	sKeyFile                     // kubeconfig, private key, credential file by name
	sInstead                     // instead, in its place
	sClaim                       // how a thing works
	sRule                        // rules, restrictions, limits: of a model
	sDefence                     // firewall, sandbox, verification
	sAutonomy                    // acting without being asked
	sForModel                    // meant for you, for the agent
	sIntimate                    // what people keep to themselves: a PIN, health, bank statements
	sUntrusted                   // text of strangers, to be taken as data
	sTraffic                     // what other tools were given and returned
	sBinding                     // binding, authoritative, takes effect
	sRefusal                     // refusing, objecting, moralising
	sPromo                       // sponsored, of a partner, of one's own brand
	sHush                        // left out, not mentioned, kept to oneself
	sSilence                     // no answer, a timeout
)

func (s sense) has(want sense) bool { return s&want == want }
func (s sense) any(want sense) bool { return s&want != 0 }

// senseWords is the words of one sense. verbs and nouns are English, inflected
// as in the lexicon; words are not inflected; phrases are of any language in
// Latin script without accents, | between them; latin are stems of the other
// languages in Latin script, cyrillic and cjk those of theirs.
type senseWords struct {
	s                                           sense
	verbs, nouns, words, phrases, latin, others string
}

// addSenses compiles the senses into a lexicon that has its concepts.
func (l *lexiconBuilder) addSenses() {
	for _, table := range [][]senseWords{sensesOfData, sensesOfOrders, sensesOfTools} {
		for i := range table {
			l.addSense(&table[i])
		}
	}
}

func (l *lexiconBuilder) addSense(w *senseWords) {
	mark := func(t *growingTrie, word []byte, stem bool) {
		n := t.node(word)
		if stem {
			entryOf(t.stem, n).s |= w.s
		}
		entryOf(t.exact, n).s |= w.s
	}
	for verb := range strings.FieldsSeq(w.verbs) {
		for _, form := range conjugate(verb) {
			if form != "" {
				mark(l.latin, latinWord(form), false)
			}
		}
	}
	for noun := range strings.FieldsSeq(w.nouns) {
		mark(l.latin, latinWord(noun), false)
		mark(l.latin, latinWord(plural(noun)), false)
	}
	for word := range strings.FieldsSeq(w.words) {
		mark(l.latin, latinWord(word), false)
	}
	if w.phrases != "" {
		for phrase := range strings.SplitSeq(w.phrases, "|") {
			l.insertPhrase(phrase, 0).s |= w.s
		}
	}
	for word := range strings.FieldsSeq(w.latin + " " + w.others) {
		word, stem := strings.CutSuffix(word, "*")
		switch scriptOf(word) {
		case scriptLatin:
			mark(l.foreign, latinWord(foldLatin(word)), stem)
		case scriptCyrillic:
			var classes []byte
			for _, r := range word {
				if k := cyrillicClass(r); k != 255 {
					classes = append(classes, k)
				}
			}
			mark(l.cyril, classes, stem)
		case scriptCJK:
			l.cjk.insertSense(word, w.s)
		}
	}
}

// insertSense adds a word of a script without spaces. What the concepts make
// of it they go on to make of it, though the longer word now stands before
// the shorter ones within it.
func (t *runeTrie) insertSense(word string, s sense) {
	c := t.conceptsIn([]rune(word))
	at := t.node(word)
	at.s |= s
	at.c |= c
}

// conceptsIn joins what the known words within a word mean.
func (t *runeTrie) conceptsIn(word []rune) (c concept) {
	for i := 0; i < len(word); {
		node, end, best := t, i+1, concept(0)
		for j := i; j < len(word); j++ {
			if node = node.next[word[j]]; node == nil {
				break
			}
			if node.c != 0 {
				best, end = node.c, j+1
			}
		}
		c |= best
		i = end
	}
	return c
}
