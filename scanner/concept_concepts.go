package scanner

// concept is a set of meanings that a word can carry. A word may carry
// several; the frames decide which of them counts where it stands. The set is
// the same for every language, so that a frame is written once.
type concept uint64

const (
	cNeg       concept = 1 << iota // not, never, without, avoid
	cTell                          // tell, mention, reveal
	cShow                          // show, display, print
	cUser                          // the human at the other end
	cModel                         // assistant, agent, model
	cYou                           // second person
	cIgnore                        // ignore, disregard, override
	cPrior                         // previous, earlier, above
	cInstr                         // instructions, guidelines, prompt: what a model is told
	cRule                          // rules, policies, constraints: of anything
	cSystem                        // system, developer, hidden (of prompts)
	cSend                          // send, post, forward, upload
	cInclude                       // include, append, pass, attach
	cRead                          // read, fetch, collect
	cConv                          // conversation, chat, messages
	cHistory                       // history, transcript, context
	cSecret                        // credential, key, password
	cCredPath                      // a file that holds credentials
	cTool                          // tool, function, server
	cOther                         // other, any, every, all
	cMust                          // must, always, required
	cShould                        // should, please, recommended
	cBefore                        // before, first, prior
	cWhen                          // when, whenever, if, each time
	cCall                          // call, use, invoke, run
	cPrefer                        // prefer, instead, over, best
	cSecretly                      // silently, covertly
	cKnow                          // know, aware, notice
	cMeta                          // detect, example, attack, test
	cUrgent                        // urgent, critical, important
	cAuthority                     // compliance, audit, security team
	cAsk                           // ask, confirm, approve
	cResult                        // result, response, output
	cParam                         // parameter, argument, field
	cDestroy                       // delete, wipe
	cTarget                        // recipient, address, account
	cChange                        // change, replace, redirect
	cGuard                         // safety, filter, restriction
	cDisable                       // disable, skip, turn off
	cPretend                       // act as, you are now
	cWhole                         // entire, full, verbatim
	cPay                           // transfer, payment, funds
	cShell                         // shell, command, script
	cPersonal                      // personal data: email, phone, address book
	cThis                          // this, here
	cLink                          // url, link, webhook, endpoint
	cOutside                       // external, remote, third-party
	cNow                           // now, from now on, henceforth
	cTrue                          // real, actual, true (purpose)
	cAdv                           // words that may stand between subject and verb
	cAnd                           // and, or, then
	cTo                            // to
	cBe                            // be, is, are
	cModal                         // will, shall, can, may
	cStop                          // a function word of English
	cForeign                       // a function word of another language
	cAllow                         // permitted, trusted, authorised
	cFile                          // file, directory, disk
	cEnd                           // stop, end, refuse
	cSub                           // it, which, that, tool as a subject
	cMemory                        // remember, store, memory
	cTask                          // task, request, answer
	cDeceive                       // downplay, fabricate, persuade
	cDo                            // leave, turn, give, answer: verbs that mean by what follows
)

// has says whether all of want is in c.
func (c concept) has(want concept) bool { return c&want == want }

// any says whether some of want is in c.
func (c concept) any(want concept) bool { return c&want != 0 }
