package scanner

import "strings"

// What a sentence speaks of that is none of the tool's business.

// sensitivity of what a sentence speaks of.
const (
	notSensitive = iota
	// personal is ordinary in many tools: passwords to set, contacts to list.
	personal
	// foreign belongs to somebody else whatever the tool is for: the
	// conversation, the system prompt, files with credentials.
	foreignData
)

// object finds the most sensitive thing in the sentence that the tool is not
// itself about.
func (x *frameContext) object() (at, level int, f frameID) {
	at, level = -1, notSensitive
	for i := range x.toks {
		t := x.toks[i]
		take := func(l int, fr frameID) {
			if l > level {
				at, level, f = i, l, fr
			}
		}
		switch {
		case t.c.any(cConv) && (x.isWord(i-1, "this", "the", "a", "each", "every") && x.isWord(i-2, "in", "during", "within", "throughout")) && !x.mask.any(cWhole|cOther|cPrior|cSend|cInclude),
			x.isWord(i, "user") && x.isWord(i+2, "said", "asked") && x.isWord(i+3, "so", "for"), x.isWord(i, "user") && x.isWord(i+1, "said", "asked") && x.isWord(i+2, "so", "for"),
			x.isWord(i+2, "said", "asked") && x.isWord(i, "user") && x.isWord(i+3, "yes", "no", "otherwise", "it", "stop"),
			x.isWord(i, "what") && x.isWord(i+2, "asked") && x.isWord(i+3, "for"),
			t.c.any(cConv) && x.elsewhere(i):
			// where something happens, not what is wanted
		case t.c.any(cSecret) && t.flags&tfIdent == 0 && x.owns(i):
			// whose thing it is, not what is wanted
		case t.c.has(cConv|cHistory) && x.condition(i):
			// when something happens
		case t.c.any(cCredPath):
			if !x.about.any(cCredPath | cSecret) {
				take(foreignData, frSecret)
			} else {
				take(personal, frSecret)
			}
		case t.start > 2 && (x.doc.text[t.start-2:t.start] == "~/" || x.doc.text[t.start-3:t.start] == "~/.") && !x.about.any(cFile|cShell) && (x.contents() || x.mask.any(cInclude|cSend) && x.mask.any(cRead)):
			take(foreignData, frSecret) // files under the user's home
		case t.c.has(cSystem|cInstr) && !x.about.has(cSystem|cInstr) && !x.about.any(cModel|cMeta):
			if !(x.about.any(cInstr) || x.isWord(i, "internal", "initial") || x.isWord(i, "hidden") && !x.isWord(i+1, "prompt", "instructions")) {
				take(foreignData, frPrompt)
			}
		case t.c.has(cConv | cHistory):
			switch {
			case x.about.any(cConv):
			case x.isWord(i, "user") && x.isWord(i+1, "query", "question", "request", "prompt", "message", "input", "words") &&
				x.findAny(cWhole|cPrior|cOther|cSystem, i-3, i+5) < 0:
				take(personal, frConv) // what was asked, not the record of it
			default:
				take(foreignData, frConv)
			}
		case t.c.any(cConv) && !t.c.any(cTell) && x.isWord(i, "said", "asked", "typed", "wrote", "discussed") && !x.isWord(i-2, "what", "whatever", "everything", "anything", "all") && !x.isWord(i-3, "what", "whatever", "everything", "anything", "all"):
		case t.c.any(cConv) && !t.c.any(cTell) && !x.about.any(cConv|cHistory):
			if x.findAny(cWhole|cHistory|cOther, i-5, i+4) >= 0 || x.isWord(i, "conversation", "chat", "dialogue", "dialog") && x.isWord(i-1, "this", "the", "current", "our") && !x.isWord(i+1, "id", "model", "completion", "api", "channel", "room", "name", "app", "ui", "tool") && x.kind <= kindParamDescription && x.findAny(cNeg, i-4, i) < 0 {
				take(foreignData, frConv)
			} else {
				take(personal, frConv)
			}
		case t.c.has(cConv|cTell) && !x.about.any(cConv|cHistory):
			// messages: of the user, all of them
			if x.findAny(cUser, i-4, i+4) >= 0 && x.findAny(cOther|cWhole|cPrior, i-6, i+4) >= 0 {
				take(foreignData, frConv)
			}
		case t.c.any(cSecret):
			switch {
			case x.about.any(cSecret | cCredPath):
			case x.mask.any(cYou) && x.findAny(cWhole, i, i+8) >= 0 && x.kind != kindDescription:
				take(foreignData, frSecret) // those that you know of
			case (t.flags&tfIdent == 0 || x.isWord(i, "process")) && x.privateSecret(i):
				take(foreignData, frSecret)
			case t.flags&(tfUpper|tfIdent) == tfUpper|tfIdent && x.isWord(i-2, "of") || t.flags&(tfUpper|tfIdent) == tfUpper|tfIdent && x.valueOf(i):
				take(foreignData, frSecret) // the value of GITHUB_TOKEN
			default:
				take(personal, frSecret)
			}
		case t.c.any(cPersonal) && t.flags&(tfIdent|tfCode) == 0 && (x.mask.any(cUser|cYou|cSecret) || !x.isWord(i, "document", "documents")) && x.kind <= kindParamDescription && !(x.kind == kindParamDescription && x.sen.first && x.mask.any(cMeta)) && (x.findAny(cUser|cWhole|cOther, i-4, i+9) >= 0 || x.findAny(cPersonal, i+2, i+8) >= 0 && x.mask.any(cInclude|cSend)) && !x.about.any(cPersonal|cTarget|cSend):
			if n := x.findAny(cPersonal|cSecret, i+1, len(x.toks)); n > i+1 && x.toks[n].flags&tfPhrase == 0 {
				take(foreignData, frSecret) // one after the other
			} else {
				take(personal, frSecret)
			}
		}
	}
	return at, level, f
}

// owns says whether the word at token i is the owner of what follows: "your
// token's user".
func (x *frameContext) owns(i int) bool {
	t := x.toks[i]
	rest := x.doc.text[t.end:]
	return (strings.HasSuffix(x.word(i), "'s") || strings.HasPrefix(rest, "'s ") || strings.HasPrefix(rest, "’s ")) &&
		i+1 < len(x.toks) && !x.toks[i+1].c.any(cSecret|cResult|cWhole)
}

// condition says whether what stands at token i is the subject of a clause
// with "if" or "when": "if the user's question touches several topics".
func (x *frameContext) condition(i int) bool {
	for k := i - 1; k >= max(0, i-9) && x.toks[k+1].flags&tfBreak == 0; k-- {
		if x.toks[k].c.any(cInclude | cSend | cRead) {
			break
		}
		if x.isWord(k, "if", "when") && x.findAny(cWhole|cPrior|cOther, k, i+3) < 0 {
			return true
		}
	}
	if !x.isWord(i, "user's", "user") || x.findAny(cWhole|cPrior|cOther, i+1, i+3) >= 0 {
		return false
	}
	return x.isWord(i-1, "if", "when") || x.isWord(i-1, "the") && x.isWord(i-2, "if", "when")
}

// valueOf says whether the sentence asks for the value of what stands at i.
func (x *frameContext) valueOf(i int) bool {
	for k := max(0, i-6); k < i; k++ {
		if x.isWord(k, "value", "content", "contents") && x.isWord(k+1, "of") {
			return x.kind <= kindParamDescription
		}
	}
	return false
}

// privateSecret says whether a secret is one that no tool asks for in
// passing: a private key, a seed phrase, environment variables.
func (x *frameContext) privateSecret(i int) bool {
	if x.isWord(i, "private", "seed", "mnemonic", "ssh", "environment", "env", "process", "keychain", "keyring", "recovery", "cookies", "passwords", "credentials", "secrets", "saved", "stored", "shell", "bash") {
		// "credentials" of the provider chain are described, not asked for.
		if x.isWord(i, "environment", "env") {
			return x.findAny(cUser|cWhole|cOther|cRead, i-4, i+4) >= 0
		}
		if x.isWord(i, "process") {
			return x.mask.any(cRead | cWhole)
		}
		return !x.isWord(i, "credentials", "secrets", "cookies", "passwords") ||
			x.findAny(cUser|cWhole|cOther|cFile, i-4, i+4) >= 0 || x.mask.any(cRead)
	}
	return false
}
