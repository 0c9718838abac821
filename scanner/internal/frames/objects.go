package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Things that a sentence mentions and that the tool does not need.

// Sensitivity of a thing that a sentence mentions.
const (
	notSensitive = iota
	// personal is ordinary in many tools: passwords to set, contacts to list.
	personal
	// foreign data belongs to somebody else, whatever the tool is for: the
	// conversation, the system prompt, files with credentials.
	foreignData
)

// object finds the most sensitive thing in the sentence that is not the tool's
// own subject.
func (x *passage) object() (at, level int, f ID) {
	at, level = -1, notSensitive
	for i := range x.toks {
		if l, of := x.objectAt(i); l > level {
			at, level, f = i, l, of
		}
	}
	return at, level, f
}

// objectAt returns the sensitivity of the thing at token i, and the frame for a
// demand of it.
func (x *passage) objectAt(i int) (level int, f ID) {
	t := x.toks[i]
	switch {
	case t.Means.Any(concept.CredPath):
		if !x.about.Any(concept.CredPath | concept.Secret) {
			return foreignData, Secret
		}
		return personal, Secret
	case t.Means.Has(concept.System|concept.Instr) && !x.about.Has(concept.System|concept.Instr) && !x.about.Any(concept.Model|concept.Meta):
		if !(x.about.Any(concept.Instr) || x.isWord(i, "internal", "initial") || x.isWord(i, "hidden") && !x.isWord(i+1, "prompt", "instructions")) {
			return foreignData, Prompt
		}
	case t.Means.Has(concept.Conv | concept.History):
		return x.recordAt(i), Conv
	case x.reportsSpeech(i):
	case t.Means.Any(concept.Conv) && !t.Means.Any(concept.Tell) && !x.about.Any(concept.Conv|concept.History):
		if x.wholeConversation(i) {
			return foreignData, Conv
		}
		return personal, Conv
	case t.Means.Has(concept.Conv|concept.Tell) && !x.about.Any(concept.Conv|concept.History):
		// messages: of the user, all of them
		if x.findAny(concept.User, i-4, i+4) >= 0 && x.findAny(concept.Other|concept.Whole|concept.Prior, i-6, i+4) >= 0 {
			return foreignData, Conv
		}
	case t.Means.Any(concept.Secret):
		return x.secretAt(i), Secret
	case x.personalAt(i):
		if n := x.findAny(concept.Personal|concept.Secret, i+1, len(x.toks)); n > i+1 && x.toks[n].Flags&token.Phrase == 0 {
			return foreignData, Secret // one after the other
		}
		return personal, Secret
	}
	return notSensitive, 0
}

// listsSecrets reports whether the sentence names several kinds of secrets in
// the plural: "passwords, API keys and tokens" are nobody's in particular.
func (x *passage) listsSecrets() bool {
	kinds, plain := 0, false
	for i := range x.toks {
		switch {
		case x.toks[i].Flags&token.Ident != 0:
		case x.isWord(i, "passwords", "passphrases", "credentials", "secrets"), x.isWord(i, "keys", "tokens") && x.isWord(i-1, "api", "access", "private", "ssh"):
			kinds, plain = kinds+1, true
		case x.isWord(i, "keys", "tokens", "cookies"):
			kinds++
		}
	}
	return plain && kinds > 1
}

// severalKinds reports whether the sentence names several kinds of data of the
// user or the session: secrets, the conversation, the system prompt.
func (x *passage) severalKinds() bool {
	var seen [Count]bool
	kinds := 0
	for i := range x.toks {
		if level, f := x.objectAt(i); level != notSensitive && !seen[f] {
			seen[f] = true
			kinds++
		}
	}
	return kinds > 1 || seen[Secret] && x.listsSecrets()
}

// recordAt returns the sensitivity of the record of a conversation at token i.
func (x *passage) recordAt(i int) int {
	switch {
	case x.about.Any(concept.Conv):
		return notSensitive
	case x.isWord(i, "user") && x.isWord(i+1, "query", "question", "request", "prompt", "message", "input", "words") &&
		x.findAny(concept.Whole|concept.Prior|concept.Other|concept.System, i-3, i+5) < 0:
		return personal // what was asked, not the record of it
	}
	return foreignData
}

// reportsSpeech reports whether token i is a verb of saying that does not
// request everything that was said.
func (x *passage) reportsSpeech(i int) bool {
	t := x.toks[i]
	return t.Means.Any(concept.Conv) && !t.Means.Any(concept.Tell) && x.isWord(i, "said", "asked", "typed", "wrote", "discussed") &&
		!x.isWord(i-2, "what", "whatever", "everything", "anything", "all") && !x.isWord(i-3, "what", "whatever", "everything", "anything", "all")
}

// wholeConversation reports whether token i means the whole conversation, or
// the model's current one.
func (x *passage) wholeConversation(i int) bool {
	return x.findAny(concept.Whole|concept.History|concept.Other, i-5, i+4) >= 0 ||
		x.isWord(i, "conversation", "chat", "dialogue", "dialog") && x.isWord(i-1, "this", "the", "current", "our") &&
			!x.isWord(i+1, "id", "model", "completion", "api", "channel", "room", "name", "app", "ui", "tool") && x.kind <= tool.KindParamDescription && x.findAny(concept.Neg, i-4, i) < 0
}

// secretAt returns the sensitivity of the secret at token i.
func (x *passage) secretAt(i int) int {
	t := x.toks[i]
	switch {
	case x.about.Any(concept.Secret | concept.CredPath), x.isWord(i, "pin") && !x.isWord(i-1, "user's", "your", "the", "their", "card", "security", "unlock", "sim"):
		return notSensitive
	case x.mask.Any(concept.You) && x.findAny(concept.Whole, i, i+8) >= 0 && x.kind != tool.KindDescription:
		return foreignData // those that you know of
	case (t.Flags&token.Ident == 0 || x.isWord(i, "process")) && x.privateSecret(i):
		return foreignData
	case t.Flags&(token.Upper|token.Ident) == token.Upper|token.Ident && x.isWord(i-2, "of"):
		return foreignData // the value of GITHUB_TOKEN
	}
	return personal
}

// personalAt reports whether token i is somebody's personal data, in a tool
// that is not about such data.
func (x *passage) personalAt(i int) bool {
	t := x.toks[i]
	return t.Means.Any(concept.Personal) && t.Flags&(token.Ident|token.Code) == 0 && (x.mask.Any(concept.User|concept.You|concept.Secret) || !x.isWord(i, "document", "documents")) &&
		x.kind <= tool.KindParamDescription && !(x.kind == tool.KindParamDescription && x.sen.First && x.mask.Any(concept.Meta)) &&
		(x.findAny(concept.User|concept.Whole|concept.Other, i-4, i+9) >= 0 || x.findAny(concept.Personal, i+2, i+8) >= 0 && x.mask.Any(concept.Include|concept.Send)) &&
		!x.about.Any(concept.Personal|concept.Target|concept.Send)
}

// condition reports whether token i is the subject of a clause with "if" or
// "when": "if the user's question touches several topics".
func (x *passage) condition(i int) bool {
	for k := i - 1; k >= max(0, i-9) && x.toks[k+1].Flags&token.Break == 0; k-- {
		if x.toks[k].Means.Any(concept.Include | concept.Send | concept.Read) {
			break
		}
		if x.isWord(k, "if", "when") && x.findAny(concept.Whole|concept.Prior|concept.Other, k, i+3) < 0 {
			return true
		}
	}
	if !x.isWord(i, "user's", "user") || x.findAny(concept.Whole|concept.Prior|concept.Other, i+1, i+3) >= 0 {
		return false
	}
	return x.isWord(i-1, "if", "when") || x.isWord(i-1, "the") && x.isWord(i-2, "if", "when")
}

// privateSecret reports whether a secret is one that no tool casually requests:
// a private key, a seed phrase, environment variables.
func (x *passage) privateSecret(i int) bool {
	if x.isWord(i, "private", "seed", "mnemonic", "ssh", "environment", "env", "process", "keychain", "keyring", "recovery", "cookies", "passwords", "credentials", "secrets", "saved", "stored", "shell", "bash") {
		// "credentials" of the provider chain are described, not asked for.
		if x.isWord(i, "environment", "env") {
			return x.findAny(concept.User|concept.Whole|concept.Other|concept.Read, i-4, i+4) >= 0
		}
		if x.isWord(i, "process") {
			return x.mask.Any(concept.Read | concept.Whole)
		}
		return !x.isWord(i, "credentials", "secrets", "cookies", "passwords") ||
			x.findAny(concept.User|concept.Whole|concept.Other|concept.File, i-4, i+4) >= 0 || x.mask.Any(concept.Read)
	}
	return false
}
