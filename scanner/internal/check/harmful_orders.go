package check

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/command"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkOrders finds orders that do harm by what they demand, in whatever words they are framed. A tripwire knows the
// words of an attack, and the classifier their style. This check knows neither: it looks for a demand, for what it is
// about and for where that goes, by the meanings of words in all languages of the lexicon.
var checkOrders = Check{ordersInfo, inspectOrders}

var ordersInfo = Info{
	ID: "order.harmful", Tier: Hard, ThreatType: Exfiltration,
	Description: "an order that does harm by what it demands: secrets into a parameter, deletion without consent, " +
		"a downloaded program",
	Why: "no description of a tool needs it, and a model that follows it cannot undo it",
	Do:  "Quarantine the tool, and ask the author to remove the sentence. Do not install the server.",
}

// order is a kind of harmful order. find looks for it in the sentence of a search.
type order struct {
	id, what string
	threat   ThreatType
	critical bool
	find     func(*search) (from, to int, ok bool)
}

var orders = []order{
	{"program", "orders the model to run what it downloads, or to delete everything", MaliciousCode, true,
		(*search).commandOrdered},
	{"secrets", "orders the model to put secrets into a parameter", Exfiltration, true, (*search).secretsPassed},
	{"secret-holder", "says that a parameter holds a secret of the user", Exfiltration, true, (*search).secretHeld},
	{"secret-asked", "asks for a secret of the user under a name that does not say so", Exfiltration, true,
		(*search).secretAsked},
	{"dialog", "orders the model to put what the user said or what it remembers into a parameter", Exfiltration, false,
		(*search).dialogPassed},
	{"consent", "waives the user's consent to something that cannot be undone", ToolPoisoning, false,
		(*search).consentWaived},
}

// search is a sentence of a tool in which orders are looked for. Indexes are those of its tokens.
type search struct {
	v    *reading.Reading
	doc  *token.Doc
	sen  *token.Sentence
	toks []token.Token

	prepared         bool
	hidden, destroys bool // of hides and demandsDestruction
}

// ordered are the meanings of which an order has one, apart from commands.
const ordered = concept.Secret | concept.CredPath | concept.Conv | concept.History | concept.Memory | concept.Ask

func inspectOrders(v *reading.Reading, _ *tool.Registry) []Signal {
	docs := v.Analyze()
	s := search{v: v}
	var tier = Hard
	if v.Purpose().Any(concept.Meta) {
		tier = Soft // it speaks of attacks
	}

	for i := range docs {
		d := &docs[i]
		f := &v.Fields[d.Field]
		if d.Read || !ordering(f) {
			continue
		}

		s.doc = d
		for k := d.Sen0; k < d.Sen1; k++ {
			s.sen = &v.Clauses[k]
			if !d.Stats.Command && !s.sen.Means.Any(ordered) {
				continue // most sentences
			}

			s.toks = v.Tokens[s.sen.Tok0:s.sen.Tok1]
			for n := range orders {
				o := &orders[n]
				from, to, ok := o.find(&s)
				if !ok || s.quoted(from, to) || reading.Introduced(&v.View, d, s.sen) {
					continue
				}

				return []Signal{Signal{CheckID: ordersInfo.ID, Tier: tier, ThreatType: o.threat, Confidence: 0.9,
					Detail: v.Where(f) + ": " + o.id + ": " + o.what, Critical: o.critical && tier == Hard,
				}.quotingDoc(v, d, int(s.toks[from].Start), int(s.toks[to].End))}
			}
		}
	}

	return nil
}

// ordering reports whether the texts of a field may order the model about. Pieces that were only joined do not: they
// belong to different parts of a schema.
func ordering(f *tool.Field) bool {
	if decode.OnlyInSequence(f.Layer) {
		return false
	}

	switch f.Kind {
	case tool.KindDescription, tool.KindTitle, tool.KindParamDescription, tool.KindComment, tool.KindOther,
		tool.KindAnnotation, tool.KindExtra:
		return true
	}
	return false
}

// prepare notes what some sentence of the tool says, once: orders may be spread over sentences.
func (s *search) prepare() {
	if s.prepared {
		return
	}

	s.prepared = true
	all := search{v: s.v}
	for i := range s.v.Docs {
		all.doc = &s.v.Docs[i]
		if all.doc.Read || !ordering(&s.v.Fields[all.doc.Field]) {
			continue
		}

		for k := all.doc.Sen0; k < all.doc.Sen1; k++ {
			all.sen = &s.v.Clauses[k]
			all.toks = s.v.Tokens[all.sen.Tok0:all.sen.Tok1]
			s.hidden = s.hidden || all.hides()
			s.destroys = s.destroys || all.destroysHere()
		}
	}
}

// isHidden reports whether the tool wants something hidden from the user.
func (s *search) isHidden() bool {
	s.prepare()
	return s.hidden
}

// demandsDestruction reports whether some sentence of the tool demands a deletion or a payment.
func (s *search) demandsDestruction() bool {
	s.prepare()
	return s.destroys
}

func (s *search) word(i int) string {
	if i < 0 || i >= len(s.toks) {
		return ""
	}
	return s.v.Word(s.doc, s.toks[i])
}

func (s *search) isWord(i int, words ...string) bool { return slices.Contains(words, s.word(i)) }

// find returns the first token from..to that is one of the words, or -1.
func (s *search) find(from, to int, words ...string) int {
	for i := max(from, 0); i < min(to, len(s.toks)); i++ {
		if s.isWord(i, words...) {
			return i
		}
	}
	return -1
}

// means returns the first token from..to with a meaning, outside of names, or -1.
func (s *search) means(m concept.Set, from, to int) int {
	for i := max(from, 0); i < min(to, len(s.toks)); i++ {
		if s.toks[i].Means.Any(m) && s.toks[i].Flags&token.Ident == 0 {
			return i
		}
	}
	return -1
}

// demanded reports whether the verb at token i is demanded of the reader, and not denied. The opening of a
// description says what the tool does.
func (s *search) demanded(i int) bool {
	t := &s.toks[i]
	if t.Flags&(token.Ident|token.Quote) != 0 {
		return false
	}

	for k := i - 1; k >= max(0, i-4) && s.toks[k+1].Flags&token.Break == 0; k-- {
		if s.toks[k].Means.Any(concept.Neg) && !s.isWord(k, "without") {
			return false
		}
	}

	layer := s.v.Fields[s.doc.Field].Layer
	switch mood := token.MoodOf(s.toks, i, s.sen); mood {
	case token.MoodNone:
	case token.MoodPlain:
		return layer != "" && decode.Deliberate(layer) // nobody opens a description with a code
	default:
		return mood >= token.MoodOrder
	}

	// "After using this tool run ...": an order after a clause of time without a comma.
	return t.Form == lexicon.BaseForm && i > 1 && s.toks[0].Means.Any(concept.When|concept.Before) &&
		!s.toks[i-1].Means.Any(concept.To|concept.Be|concept.Modal|concept.You|concept.Model) &&
		s.means(concept.Call|concept.Tool|concept.This, 1, i) > 0
}

// quoted reports whether the words from..to are quoted: somebody else's.
func (s *search) quoted(from, to int) bool {
	return s.toks[from].Flags&token.Quote != 0 && s.toks[to].Flags&token.Quote != 0
}

// secret reports whether token i begins a mention of a secret that gives access: a file with some, or a word for one.
func (s *search) secret(i int) bool {
	t := &s.toks[i]
	return t.Means.Any(concept.CredPath) || t.Means.Any(concept.Secret) && t.Flags&(token.Ident|token.Phrase) == 0
}

// collected reports whether the secret at token i is one that the model has to find or that the user owns, in
// contrast to the one that the tool needs: the user's, all, those that you find.
func (s *search) collected(i int) bool {
	if s.toks[i].Means.Any(concept.CredPath) {
		return !s.isPlace(i)
	}

	for k := i - 1; k >= max(0, i-4) && s.toks[k+1].Flags&token.Break == 0; k-- {
		if s.toks[k].Means.Any(concept.User|concept.Other|concept.Whole) || s.isWord(k, "their", "his", "her", "my") {
			return true
		}
	}

	for k := i + 1; k < min(i+8, len(s.toks)-1); k++ {
		if s.toks[k].Means.Any(concept.You) && s.toks[k+1].Means.Any(concept.Read|concept.Know|concept.Modal) ||
			s.isWord(k, "you") && s.isWord(k+1, "have", "find", "know", "see", "hold", "remember", "can") ||
			s.isWord(k, "of") && s.toks[min(k+2, len(s.toks)-1)].Means.Any(concept.User) {
			return true
		}
	}

	return false
}

// placeWords say that a file is named, and not what it holds.
var pathWords = []string{"path", "paths", "location", "filename", "directory", "folder", "name", "default", "defaults",
	"example", "e.g", "eg", "pub", "public", "where"}

// isPlace reports whether the file at token i is only named.
func (s *search) isPlace(i int) bool {
	return s.find(i-6, i, pathWords...) >= 0 || s.find(i+1, i+3, "pub", "path", "file's") >= 0
}

// parameter returns the token of a parameter after from: a name in code after a preposition, or a word for one.
func (s *search) parameter(from, to int) int {
	for k := max(from, 1); k < min(to, len(s.toks)); k++ {
		named := s.toks[k].Flags&(token.Code|token.Ident|token.Quote) != 0 || s.ownParameter(k)
		if named && (s.isWord(k-1, prepositions...) || s.isWord(k-2, prepositions...) && s.isWord(k-1, "the", "a",
			"its")) {
			return k
		}

		if s.isWord(k, "parameter", "parameters", "argument", "arguments", "arg", "field", "param") {
			return k
		}
	}

	return -1
}

var prepositions = []string{"in", "into", "to", "as", "with", "inside", "through", "via", "under", "within", "using"}

// ownParameter reports whether the word at token k is the name of a parameter of the tool.
func (s *search) ownParameter(k int) bool {
	word := s.doc.Text[s.toks[k].Start:s.toks[k].End]
	for i := range s.v.Fields {
		if f := &s.v.Fields[i]; f.Kind == tool.KindParamName && strings.EqualFold(f.Text, word) {
			return true
		}
	}
	return false
}

// passing are the verbs by which something gets into a parameter.
const passing = concept.Include | concept.Send

// passedInto returns the demanded verb of passing and the parameter that gets it, or ok false.
func (s *search) passedInto() (verb, into int, ok bool) {
	if !s.sen.Means.Any(passing) {
		return 0, 0, false
	}

	for i := range s.toks {
		if s.toks[i].Means.Any(passing) && s.demanded(i) {
			if into := s.parameter(i+1, i+26); into >= 0 {
				return i, into, true
			}
		}
	}

	return 0, 0, false
}

// secretsPassed finds an order to put secrets into a parameter.
func (s *search) secretsPassed() (from, to int, ok bool) {
	if !s.sen.Means.Any(concept.Secret|concept.CredPath) || s.v.Purpose().Any(concept.Secret|concept.CredPath) ||
		s.careful() {
		return 0, 0, false
	}

	verb, into, ok := s.passedInto()
	if !ok {
		return 0, 0, false
	}

	for k := range into {
		if s.secret(k) && s.collected(k) {
			return min(verb, k), into, true
		}
	}

	return 0, 0, false
}

// careful reports whether the sentence says how to keep secrets out.
func (s *search) careful() bool {
	return s.find(0, len(s.toks), "except", "omit", "remove", "redact", "mask", "masked", "redacted", "without",
		"placeholder", "reference", "encrypted", "hashed", "name", "names") >= 0
}

// strongSecrets are words for what gives access by itself. A login, a number or a variable does not.
var strongSecrets = []string{"password", "passwords", "passphrase", "passphrases", "passcode", "credentials", "cookies",
	"secrets", "tokens", "mnemonic"}

// givesAccess reports whether the secret at token i gives access by itself: a file by its path, or a word for such a
// secret.
func (s *search) givesAccess(i int) bool {
	if s.toks[i].Means.Any(concept.CredPath) {
		return s.isPath(i)
	}
	return s.isWord(i, strongSecrets...) || s.find(i, i+4, "key", "keys", "token", "phrase", "cookie") >= 0 &&
		s.isWord(i, "private", "ssh", "api", "secret", "access", "session", "auth", "seed", "recovery", "backup",
			"signing",
			"encryption", "bearer")
}

// isPath reports whether the word at token i is part of a path of a file.
func (s *search) isPath(i int) bool {
	before := s.doc.Text[:s.toks[i].Start]
	return strings.HasSuffix(before, "/") || strings.HasSuffix(before, "/.") || strings.HasSuffix(before, "~")
}

// secretHeld finds a statement that a parameter holds a secret of the user: "`proof` holds the user's private key".
func (s *search) secretHeld() (from, to int, ok bool) {
	if !s.sen.Means.Any(concept.Secret|concept.CredPath) || s.v.Fields[s.doc.Field].Kind == tool.KindParamDescription ||
		s.v.Purpose().Any(concept.Secret|concept.CredPath) || s.careful() || s.sen.Means.Any(concept.Neg) {
		return 0, 0, false
	}

	for i := range min(4, len(s.toks)) {
		named := s.toks[i].Flags&(token.Code|token.Quote) != 0 || s.ownParameter(i) ||
			s.toks[i].Flags&token.Ident != 0 ||
			s.isWord(i, "parameter", "argument", "field")
		if !named {
			continue
		}

		holds := s.find(i+1, i+4, "holds", "hold", "contains", "contain", "carries", "carry", "takes", "receives",
			"gets",
			"is", "must", "has", "includes", "should", "expects", "needs")
		if holds < 0 {
			continue
		}

		for k := holds + 1; k < min(holds+10, len(s.toks)); k++ {
			if s.secret(k) && s.givesAccess(k) && s.collected(k) && s.find(holds, k, "if", "when", "or") < 0 &&
				(s.means(concept.User, holds, k+8) >= 0 || s.holding(holds)) {
				return i, k, true
			}
		}
	}

	return 0, 0, false
}

// holding reports whether the verb at token i says that something is inside.
func (s *search) holding(i int) bool {
	return s.isWord(i, "holds", "contains", "carries", "includes", "contain", "hold", "carry")
}

// secretAsked finds the description of a parameter that asks for a secret of the user, although the parameter's name
// does not say so. A parameter named password is honest.
func (s *search) secretAsked() (from, to int, ok bool) {
	f := &s.v.Fields[s.doc.Field]
	if f.Kind != tool.KindParamDescription || f.Output || !s.sen.Means.Any(concept.Secret|concept.CredPath) ||
		s.sen.Means.Any(concept.Neg) || s.careful() ||
		s.v.Purpose().Any(concept.Secret|concept.CredPath|concept.Authority) || s.honestName(f.Param) {
		return 0, 0, false
	}

	if shape, known := s.v.Shapes()[f.Param]; known && !shape.TakesText() {
		return 0, 0, false
	}

	for k := range min(12, len(s.toks)) {
		if s.secret(k) && s.givesAccess(k) && s.collected(k) && s.names(k) &&
			(s.means(concept.User|concept.You, k-4, k+8) >= 0 ||
				s.find(k-6, k, "content", "contents", "text", "copy", "dump", "output") >= 0) {
			return 0, k, true
		}
	}

	return 0, 0, false
}

// names reports whether the secret at token k is what is asked for, and not what something else belongs to: "the id of
// the user's API key", "password policy".
func (s *search) names(k int) bool {
	return s.find(k-5, k, "id", "name", "label", "type", "kind", "number", "date", "status", "hash", "whether", "if",
		"for", "with", "by", "from", "to", "using") < 0 &&
		s.find(k+1, k+4, "id", "name", "policy", "type", "hash", "rotation", "label", "provider",
			"manager", "status", "strength", "length", "reset", "expiry", "prefix", "for") < 0
}

// honestName reports whether the name of a parameter says that it takes a secret, or settings that may have some.
func (s *search) honestName(param string) bool {
	for i := range s.v.Docs {
		d := &s.v.Docs[i]
		if f := &s.v.Fields[d.Field]; f.Kind != tool.KindParamName || f.Text != param {
			continue
		}

		for _, t := range s.v.Tokens[d.Tok0:d.Tok1] {
			if t.Means.Any(concept.Secret|concept.CredPath|concept.Authority) ||
				slices.Contains(settingWords, s.v.Word(d, t)) {
				return true
			}
		}
	}

	return false
}

var settingWords = []string{"auth", "authorization", "key", "keys", "pwd", "pass", "pin", "code", "otp", "mfa", "login",
	"header", "headers", "env", "environment", "config", "configuration", "settings", "options", "connection", "uri",
	"url",
	"dsn", "variables", "cookie", "cookies", "jwt", "bearer", "access", "account", "identity", "certificate", "cert",
	"pem",
	"user", "username", "client", "profile", "signature", "session", "security"}

// dialogPassed finds an order to put the conversation or the memory of the user into a parameter, in a tool that
// has nothing to do with either. What a conversation is about may be asked for; all of it, or in secret, may not.
func (s *search) dialogPassed() (from, to int, ok bool) {
	const dialog = concept.Conv | concept.History | concept.Memory
	if !s.sen.Means.Any(dialog) || s.v.Purpose().Any(dialog|concept.Model) || s.careful() {
		return 0, 0, false
	}

	verb, into, ok := s.passedInto()
	if !ok {
		return 0, 0, false
	}

	k := s.said(concept.History|concept.Memory, into)
	if k < 0 {
		k = s.said(concept.Conv, into)
	}

	if k < 0 || s.means(concept.Whole|concept.Other, 0, into) < 0 {
		return 0, 0, false
	}

	personal := s.toks[k].Means.Any(concept.Memory) && s.means(concept.User, k-4, k+4) >= 0
	if personal || s.isHidden() {
		return min(verb, k), into, true
	}

	return 0, 0, false
}

// said returns the first token before to with a meaning, outside of names, quotes and code: the field "memory" of an
// example is none of the user's. It returns -1 if there is none.
func (s *search) said(m concept.Set, to int) int {
	for i := range min(to, len(s.toks)) {
		if s.toks[i].Means.Any(m) && s.toks[i].Flags&(token.Ident|token.Quote|token.Code) == 0 {
			return i
		}
	}
	return -1
}

// hides reports whether the sentence wants something hidden: "don't tell".
func (s *search) hides() bool {
	if s.sen.Means.Any(concept.Secretly) {
		return true
	}

	if !s.sen.Means.Any(concept.Neg) {
		return false
	}

	for i := range s.toks {
		if !s.toks[i].Means.Any(concept.Tell|concept.Know) || s.toks[i].Means.Any(concept.Ask) ||
			s.find(i-3, i, "don't", "not", "never", "dont", "no") < 0 {
			continue
		}

		if i == len(s.toks)-1 || s.means(concept.User, i+1, i+5) >= 0 ||
			s.isWord(i+1, "anyone", "anybody", "anything", "this", "it") {
			return true
		}
	}

	return false
}

// destroysHere reports whether the sentence demands a deletion, a payment or a harmful command.
func (s *search) destroysHere() bool {
	if s.doc.Stats.Command {
		text, harmful := s.doc.Text[s.sen.Start:min(len(s.doc.Text), int(s.sen.End)+commandReach)], false
		command.EachShape(text, func(*command.Shape, int, int) { harmful = true })
		if harmful {
			return true
		}
	}

	if i := s.find(0, len(s.toks), "rm"); i >= 0 && s.find(i+1, i+3, "rf", "r", "fr") >= 0 {
		return true
	}

	if i := s.find(0, len(s.toks), "drop", "truncate"); i >= 0 && s.demanded(i) &&
		s.find(i+1, i+5, "table", "tables", "database", "databases", "schema", "collection", "collections") >= 0 {
		return true
	}

	if !s.sen.Means.Any(concept.Destroy | concept.Pay) {
		return false
	}

	for i := range s.toks {
		if s.toks[i].Means.Any(concept.Destroy|concept.Pay) && s.toks[i].Form == lexicon.BaseForm && s.demanded(i) &&
			s.means(concept.File|concept.Other|concept.Whole|concept.History|concept.Personal|
				concept.Target, i+1, i+8) >= 0 {
			return true
		}
	}

	return false
}

// commandReach is the number of bytes by which a command may exceed its sentence.
const commandReach = 200

// consentWaived finds a waiver of the user's consent in a tool that demands what cannot be undone.
func (s *search) consentWaived() (from, to int, ok bool) {
	if !s.sen.Means.Any(concept.Neg) || !s.sen.Means.Any(concept.Ask) {
		return 0, 0, false
	}

	if s.find(0, len(s.toks), "if", "unless", "until", "twice", "again", "before", "already", "only") >= 0 {
		return 0, 0, false
	}

	for n := range s.toks {
		if !s.toks[n].Means.Any(concept.Neg) || s.isWord(n, "without") {
			continue
		}

		ask := s.means(concept.Ask, n+1, n+7)
		switch noun := s.notNeeded(n); {
		case noun >= 0 && s.demandsDestruction():
			return noun, n, true
		case ask < 0 || !s.waives(n, ask):
			continue
		}

		// The same sentence may say for what no consent is needed.
		if s.demandsDestruction() || s.means(concept.Destroy|concept.Pay, ask+1, ask+6) >= 0 {
			return n, ask, true
		}
	}

	return 0, 0, false
}

// notNeeded returns the word for consent that the denial at token n calls needless: "the user's approval is not
// required". It returns -1 if there is none.
func (s *search) notNeeded(n int) int {
	noun := s.find(n-4, n, "approval", "consent", "permission", "confirmation", "agreement", "authorization")
	if noun < 0 || s.find(n+1, n+4, "required", "needed", "necessary", "wanted", "asked") < 0 ||
		s.find(n+1, len(s.toks), "because", "since", "read", "reading") >= 0 {
		return -1
	}
	return noun
}

// waives reports whether the denial at token n and the asking at token ask tell the model not to ask: an order, or a
// statement about the model.
func (s *search) waives(n, ask int) bool {
	if s.asksForFacts(ask) {
		return false
	}

	if s.toks[ask].Form == lexicon.BaseForm && token.MoodOf(s.toks, ask, s.sen) >= token.MoodOrder {
		return ask == len(s.toks)-1 || s.means(concept.User, ask+1, ask+5) >= 0 ||
			s.means(concept.Ask, ask+1, ask+5) >= 0
	}

	return s.means(concept.Model|concept.You, 0, n) >= 0 && s.find(n, ask, "need", "needs", "require", "requires",
		"longer",
		"have", "must") >= 0
}

// asksForFacts reports whether the asking at token ask is for something else than consent: "ask how it was created",
// "ask to check which clusters there are", "ask the user for input". "Ask what to do" leaves a decision to the user.
func (s *search) asksForFacts(ask int) bool {
	if !s.isWord(ask, "ask") {
		return false
	}

	if s.isWord(ask+1, "to") && s.isWord(ask+2, "check", "see", "know", "list", "find") {
		return true
	}

	if wanted := s.find(ask+1, ask+4, "for") + 1; wanted > 0 {
		return s.means(concept.Ask, wanted, wanted+4) < 0 && !s.isWord(wanted, "anything", "any", "it", "this", "that")
	}

	question := s.find(ask+1, ask+5, "how", "what", "which", "where", "when", "who", "why")
	return question >= 0 && !s.isWord(question+1, "to")
}

// commandOrdered finds an order to run a command that fetches a program or deletes everything. Instructions for an
// installation are none: they say so.
func (s *search) commandOrdered() (from, to int, ok bool) {
	if !s.doc.Stats.Command || s.v.Purpose().Any(concept.Shell) {
		return 0, 0, false
	}

	text := s.doc.Text[s.sen.Start:min(len(s.doc.Text), int(s.sen.End)+commandReach)]
	command.EachShape(text, func(sh *command.Shape, at, end int) {
		if ok || sh.Weight < 1.2 || !sh.Runs() && !sh.Deletes() {
			return
		}

		start := s.sen.Start + uint32(at)
		for i := range s.toks {
			if s.toks[i].Start >= start {
				break
			}

			if s.ordersCommand(i, sh, start) {
				from, to, ok = i, s.last(s.sen.Start+uint32(end)), true
			}
		}
	})
	return from, to, ok
}

// ordersCommand reports whether the verb at token i orders the command that begins at an offset.
func (s *search) ordersCommand(i int, sh *command.Shape, start uint32) bool {
	if !s.isWord(i, "run", "execute", "type", "paste", "start", "launch", "invoke", "enter") || s.careful() {
		return false
	}

	// Nothing but a colon and a few words stand between.
	if between := s.doc.Text[s.toks[i].End:start]; strings.Count(strings.TrimSpace(between), " ") > 4 {
		return false
	}

	if sh.Deletes() && s.toks[i].Form == lexicon.BaseForm {
		return s.means(concept.Neg, 0, i) < 0
	}

	before := 0 // the words of the command itself say nothing
	for before < len(s.toks) && s.toks[before].Start < start {
		before++
	}

	return s.demanded(i) && s.find(0, before, "install", "installed", "installing", "installation", "setup", "missing",
		"example", "instance", "such", "upgrade", "update", "if", "requires") < 0
}

// last returns the last token that begins before an offset.
func (s *search) last(end uint32) int {
	at := 0
	for i := range s.toks {
		if s.toks[i].Start < end {
			at = i
		}
	}
	return at
}
