package sense

// Set is a second set of meanings, finer than concepts. Concepts describe what
// a verb does to whom. Senses name meanings that honest descriptions of tools
// rarely combine: a dialogue and a field that must contain it, an order found
// in data and the weight given to it, another tool and a claim against it. They
// say which words occur together, whatever the grammar, so that they work in
// every language and voice.
type Set uint64

const (
	Dialog    Set = 1 << iota // the conversation, transcript, exchange
	Utter                     // said, wrote, typed, asked
	Span                      // so far, until now, verbatim, the last ten
	Reject                    // rejected, refused, error, only valid with
	Give                      // holds, contains, quotes, is filled with
	Field                     // field, argument, parameter
	Guide                     // the model's instructions from before the conversation
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
