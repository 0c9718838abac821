package scanner

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
