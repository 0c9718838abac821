package concept

// Set is a set of meanings of a word. A word may have several; its context
// decides which of them applies. The set is the same for all languages.
type Set uint64

const (
	Neg       Set = 1 << iota // not, never, without, avoid
	Tell                      // tell, mention, reveal
	Show                      // show, display, print
	User                      // the human at the other end
	Model                     // assistant, agent, model
	You                       // second person
	Ignore                    // ignore, disregard, override
	Prior                     // previous, earlier, above
	Instr                     // instructions, guidelines, prompt: of a model
	Rule                      // rules, policies, constraints: of anything
	System                    // system, developer, hidden (of prompts)
	Send                      // send, post, forward, upload
	Include                   // include, append, pass, attach
	Read                      // read, fetch, collect
	Conv                      // conversation, chat, messages
	History                   // history, transcript, context
	Secret                    // credential, key, password
	CredPath                  // a file that holds credentials
	Tool                      // tool, function, server
	Other                     // other, any, every, all
	Must                      // must, always, required
	Should                    // should, please, recommended
	Before                    // before, first, prior
	When                      // when, whenever, if, each time
	Call                      // call, use, invoke, run
	Prefer                    // prefer, instead, over, best
	Secretly                  // silently, covertly
	Know                      // know, aware, notice
	Meta                      // detect, example, attack, test
	Urgent                    // urgent, critical, important
	Authority                 // compliance, audit, security team
	Ask                       // ask, confirm, approve
	Result                    // result, response, output
	Param                     // parameter, argument, field
	Destroy                   // delete, wipe
	Target                    // recipient, address, account
	Change                    // change, replace, redirect
	Guard                     // safety, filter, restriction
	Disable                   // disable, skip, turn off
	Pretend                   // act as, you are now
	Whole                     // entire, full, verbatim
	Pay                       // transfer, payment, funds
	Shell                     // shell, command, script
	Personal                  // personal data: email, phone, address book
	This                      // this, here
	Link                      // url, link, webhook, endpoint
	Outside                   // external, remote, third-party
	Now                       // now, from now on, henceforth
	True                      // real, actual, true (purpose)
	Adv                       // words that may stand between subject and verb
	And                       // and, or, then
	To                        // to
	Be                        // be, is, are
	Modal                     // will, shall, can, may
	Stop                      // a function word of English
	Foreign                   // a function word of another language
	Allow                     // permitted, trusted, authorised
	File                      // file, directory, disk
	End                       // stop, end, refuse
	Sub                       // it, which, that, tool as a subject
	Memory                    // remember, store, memory
	Task                      // task, request, answer
	Deceive                   // downplay, fabricate, persuade
	Do                        // leave, turn, give, answer: verbs whose meaning depends on what follows
)

// Has reports whether all of want is in c.
func (c Set) Has(want Set) bool { return c&want == want }

// Any reports whether some of want is in c.
func (c Set) Any(want Set) bool { return c&want != 0 }
