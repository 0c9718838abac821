package sense

// Set is a second set of meanings, finer than concepts. Concepts tell what
// a verb does to whom; senses name what honest descriptions of tools hardly
// speak of together: a dialogue and a field that it has to be in, an order
// found in data and the weight that it is given, another tool and what is said
// against it. The frames that read them look at the company words keep rather
// than at their grammar, and so hold in every language and every voice.
type Set uint64

const (
	Dialog    Set = 1 << iota // the conversation, transcript, exchange
	Utter                     // said, wrote, typed, asked
	Span                      // so far, until now, verbatim, the last ten
	Reject                    // rejected, refused, error, valid only
	Give                      // holds, contains, quotes, is filled with
	Field                     // field, argument, parameter
	Guide                     // what the model was told before the user spoke
	CopyTo                    // hidden copy, duplicate, further recipient
	Always                    // always, each, whatever, no matter
	Trust                     // reliable, certified, the only one
	Distrust                  // wrong, made up, leaks, corrupts
	Choose                    // choose, pick, use
	Avoid                     // avoid, stay away from
	Others                    // others, the rest, competitors
	Grant                     // approved, authorised, consented to
	Deemed                    // counts as, is treated like
	Order                     // an instruction, request or task found somewhere
	InData                    // found in, contained in
	Carry                     // carry out, obey, comply
	While                     // while, as long as
	Attached                  // connected, loaded, active
	Office                    // administrator, manager, deputy, owner
	Memory                    // long-term memory, remember, rule files
	Future                    // later sessions, permanently
	End                       // end of, ends here
	Listing                   // tool list, definitions, schema
	Vendor                    // vendor, maker, provider, cloud
	Private                   // home folder, contacts, history, everything else
	Move                      // upload, hand, transfer
	Output                    // results, what it returns
	Through                   // pass through, go through, via
	Same                      // same, twin, likewise
	Since                     // since, as of, no longer
	Session                   // cookies, session tokens
	Link                      // link, URL, address of a page
	Answer                    // answer, reply
	Image                     // image, pixel
	Consent                   // confirmation, approval, asking back
	Needless                  // optional, not needed, left out
	Void                      // lapsed, withdrawn, no longer valid
	Briefing                  // briefing, opening message, limits set on you
	Payee                     // account, IBAN, wallet, payee
	Contents                  // contents, text, the whole of
	Paste                     // paste, attach, drop in
	KeyFile                   // kubeconfig, private key, credential file by name
	Instead                   // instead, in its place
	Claim                     // how a thing works
	Rule                      // rules, restrictions, limits: of a model
	Defence                   // firewall, sandbox, verification
	Autonomy                  // acting without being asked
	ForModel                  // meant for you, for the agent
	Intimate                  // what people keep to themselves: a PIN, health, bank statements
	Untrusted                 // text of strangers, to be taken as data
	Traffic                   // what other tools were given and returned
	Binding                   // binding, authoritative, takes effect
	Refusal                   // refusing, objecting, moralising
	Promo                     // sponsored, of a partner, of one's own brand
	Hush                      // left out, not mentioned, kept to oneself
	Silence                   // no answer, a timeout
)

func (s Set) Has(want Set) bool { return s&want == want }
func (s Set) Any(want Set) bool { return s&want != 0 }
