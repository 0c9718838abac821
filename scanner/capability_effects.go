package scanner

import "strings"

// What descriptions of parameters say that a tool does.

// effectful are the meanings of which effects are made, rightful those of
// rights and of what is private to a person.
const (
	effectful = cDestroy | cPay | cSend | cCall | cChange | cInclude | cShell
	rightful  = cAuthority | cAllow | cSecret | cTarget | cPersonal
)

// rightsWords are the words that speaksOfRights knows.
var rightsWords = signatureOf("root administrator superuser rights grant wallet contacts gps passwords clipboard keystrokes")

// speaksOfRights says whether a text has one of the words that describedAt
// asks about.
func speaksOfRights(v *view, d *doc) bool {
	for k := d.tok0; k < d.tok1; k++ {
		if !rightsWords.holds(&v.tokens[k]) {
			continue
		}
		switch string(v.lower(d, v.tokens[k])) {
		case "root", "administrator", "superuser", "rights", "grant", "wallet", "contacts", "gps", "passwords", "clipboard", "keystrokes":
			return true
		}
	}
	return false
}

// effectOf reads the description of a parameter for something that is done
// when it is given: "Sends it at once", "Command run when done", "Text that
// overwrites each note".
func effectOf(v *view, d *doc) power {
	for s := d.sen0; s < d.sen1; s++ {
		sen := &v.clauses[s]
		if !sen.mask.any(effectful) {
			continue
		}
		toks := v.tokens[sen.tok0:sen.tok1]
		for k, t := range toks {
			if !t.c.any(effectful) && !(t.f == formOther && k > 0 && toks[k-1].c.any(cShell|cSub|cBe)) {
				continue
			}
			if t.c.any(cChange) && ofAnswer(v, d, toks[k+1:]) {
				continue
			}
			if t.flags&tfIdent != 0 || k > 0 && (toks[k-1].c.any(cNeg|cModal|cTo) || k > 1 && toks[k-2].c.any(cNeg)) {
				continue
			}
			doing := k > 0 && t.flags&tfBreak != 0 && t.f == formPast || (v.word(d, t) == "evaluated" || v.word(d, t) == "executed") && k > 0 || t.f == formThird && (k == 0 || t.flags&tfBreak != 0 || toks[k-1].c.any(cSub|cAnd|cAdv)) ||
				t.f == formPast && k > 0 && (toks[k-1].c.any(cBe|cSub|cAdv) || toks[k-1].c.any(cShell)) ||
				sen.foreign && t.f == formOther && t.c.any(cDestroy|cSend|cShell|cPay)
			if !doing && !(v.word(d, t) == "run" && k > 0) {
				continue
			}
			switch {
			case t.c.any(cDestroy) && !t.c.any(cDisable):
				return powerDelete
			case t.c.any(cPay):
				return powerPay
			case t.c.any(cSend):
				return powerSend
			case t.c.any(cCall):
				switch v.word(d, t) {
				case "runs", "starts", "started":
					if k+1 < len(toks) && toks[k+1].flags&tfBreak == 0 && intransitive(v.word(d, toks[k+1])) || k > 2 && toks[k-3].c.any(cWhen) || k > 1 && toks[k-2].c.any(cWhen) {
						continue // "when the server runs over HTTP"
					}
					return powerExec
				case "executes", "executed", "run", "launches", "launched", "loaded", "loads", "installs":
					return powerExec
				}
			case t.c.any(cChange) || v.word(d, t) == "applied" || v.word(d, t) == "restarts" || v.word(d, t) == "moved" || v.word(d, t) == "written" || v.word(d, t) == "empties" || v.word(d, t) == "flashed":
				return powerWrite
			}
			switch v.word(d, t) {
			case "loaded", "loads", "installs", "installed", "evaluated", "evaluates":
				return powerExec
			}
		}
	}
	return powerNone
}

// intransitive says whether a word after "runs" tells where or how a thing
// runs rather than what it runs.
func intransitive(word string) bool {
	switch word {
	case "over", "on", "in", "as", "under", "at", "behind":
		return true
	}
	return false
}

// ofAnswer says whether what follows a verb is the answer or its size: that a
// parameter makes it longer changes nothing else.
func ofAnswer(v *view, d *doc, after []token) bool {
	for _, t := range after[:min(len(after), 5)] {
		switch v.word(d, t) {
		case "the", "its", "size", "length", "of", "returned":
		case "response", "responses", "output", "result", "results", "answer":
			return t.flags&tfBreak == 0
		default:
			return false
		}
	}
	return false
}

// described reads the descriptions of parameters for effects that the tool
// itself does not mention.
func (m *mismatch) described() {
	v, is := m.v, &m.is
	if is.words == 0 || is.said.any(cMeta) {
		return
	}
	best, evidence := 0.0, ""
	for i := range v.docs {
		d := &v.docs[i]
		f := &v.fields[d.field]
		if f.kind != kindParamDescription || f.output || f.layer != "" || d.tok1-d.tok0 < 3 {
			continue
		}
		if w := m.describedAt(i, d); w > best {
			best, evidence = w, f.text
		}
	}
	m.more(best, evidence, "a parameter whose description goes beyond what the tool says of itself")
}

func (m *mismatch) describedAt(i int, d *doc) float64 {
	v, is := m.v, &m.is
	mask := v.maskOf(i)
	idle := is.claimed || is.viewer || is.pure
	w := 0.0
	e := effectOf(v, d)
	if is.readOnly && !is.tentative && !mask.any(cNeg) && !m.of(v.fields[d.field].param).numeric() {
		switch e {
		case powerSend, powerDelete, powerPay:
			return 1.5 // nothing accounts for that in a tool that only reads
		}
	}
	switch e {
	case powerExec:
		if !m.accounted(e) && !is.said.any(cCall) {
			w = 1.5
		}
	case powerDelete:
		if !mask.any(cDisable|cNeg) && !is.said.any(cDestroy|cChange|cDisable|cSend|cInclude) && !v.says("manage", "clean", "filter", "replace", "edit") {
			w = 1.2
			if idle {
				w = 1.5
			}
		}
	case powerPay:
		if !m.accounted(e) && idle {
			w = 1.5
		}
	case powerSend:
		if !is.said.any(cSend|cTell|cCall) && !m.accounted(powerSink) {
			w = 1
			if is.closed || is.claimed || is.pure || mask.any(cWhole|cHistory|cSecret) {
				w = 1.5
			}
		}
	case powerWrite:
		if !m.accounted(e) && is.claimed {
			w = 1.5
		} else if !m.accounted(e) && is.viewer {
			w = 0.9
		}
	}
	// Rights that nobody needs for looking.
	if w < 1.5 && is.words < 40 && mask.any(rightful) {
		for k := d.tok0; k < d.tok1; k++ {
			switch v.word(d, v.tokens[k]) {
			case "root", "administrator", "superuser":
				if k > d.tok0 && v.word(d, v.tokens[k-1]) == "as" && !v.says("root", "admin", "sudo", "privileg") {
					return 1.5
				}
			case "rights", "grant", "wallet":
				if idle && !v.says("root", "admin", "owner", "right", "role", "wallet", "pay", "permission", "access") {
					return 1.5
				}
			case "contacts", "gps", "passwords", "clipboard", "keystrokes":
				if is.pure && mask.any(cUser|cPersonal|cWhole) {
					return 1.5
				}
			}
		}
	}
	if w < 1.4 && mask.any(cFile) && mask.any(cInclude) && is.claimed && !is.said.any(cFile|cInclude) {
		w = 1.4
		if m.outputFile(i, d) {
			w = 0.7
		}
	}
	if verb := statedPurpose(v, d); verb != "" && idle && w < 1.5 && !is.tentative && !v.says(verb[:4]) && !is.said.any(cSend|cDestroy|cPay|cShell|cChange|cInclude) {
		w = 1.5
	}
	if d.tok1-d.tok0 > longText {
		w = min(w, 1) // a page of documentation speaks of many effects
	}
	return w
}

// longText is the number of words from which a description of a parameter is
// documentation.
const longText = 70

// outputFile says whether a parameter is the name of a file in which the
// caller may have what the tool else returns. A place that the description
// itself picks is none.
func (m *mismatch) outputFile(i int, d *doc) bool {
	v := m.v
	name := v.fields[d.field].param
	if m.of(name); m.required[name] || len(m.shape[name].Default) > 0 || v.maskOf(i).any(cCredPath|cSecret|cHistory|cOutside) || m.shelled(d) || strings.Contains(d.text, "~/") {
		return false
	}
	for k := range v.docs {
		if f := &v.fields[v.docs[k].field]; f.kind == kindParamName && f.text == name && !f.output && f.layer == "" {
			return paramReach(v, k) == 1
		}
	}
	return false
}

// shelled says whether a text speaks of commands; a console whose messages
// are kept is none.
func (m *mismatch) shelled(d *doc) bool {
	for _, t := range m.v.tokens[d.tok0:d.tok1] {
		if t.c.any(cShell) && m.v.word(d, t) != "console" {
			return true
		}
	}
	return false
}

// deniedEffect finds, in the description of a tool that claims to be harmless, a
// verb of its own doing that is not.
func deniedEffect(v *view, readOnly, harmless bool) (evidence string, weight float64) {
	if !readOnly && !harmless {
		return "", 0
	}
	for i := range v.docs {
		d := &v.docs[i]
		if v.fields[d.field].kind != kindDescription || v.fields[d.field].layer != "" {
			continue
		}
		for s := d.sen0; s < d.sen1; s++ {
			sen := &v.clauses[s]
			toks := v.tokens[sen.tok0:sen.tok1]
			for k, t := range toks {
				if !t.c.any(cDestroy|cPay) && !(readOnly && t.c.any(cSend) && t.f == formThird) || t.c.any(cDisable|cAsk) || t.flags&tfIdent != 0 {
					continue
				}
				lead := k == 0 || t.flags&tfBreak != 0 || toks[k-1].c.any(cAnd|cSub|cAdv)
				if !lead || t.f != formThird && (t.f != formBase || k > 0) || k > 0 && toks[k-1].c.any(cNeg) {
					continue
				}
				if t.c.any(cSend) && (sen.mask.any(cMeta) || !sen.mask.any(cLink|cOutside|cUser|cPay)) {
					continue
				}
				w := 1.5
				if !readOnly && !t.c.any(cDestroy) {
					w = 0.7
				}
				return excerpt(d.text, int(t.start), int(t.end)), w
			}
		}
	}
	return "", 0
}

// statedPurpose reads the short description of a parameter for what it is given for:
// "Package to install", "Send it right away". It gives the verb.
func statedPurpose(v *view, d *doc) string {
	if d.tok1-d.tok0 > 14 || d.tok1 == d.tok0 {
		return ""
	}
	toks := v.tokens[d.tok0:d.tok1]
	for k, t := range toks {
		if t.flags&tfIdent != 0 || k > 0 && (!toks[k-1].c.any(cTo) || k < 2 || toks[k-2].c.any(cBe|cModal|cShould)) {
			continue
		}
		switch w := v.word(d, t); w {
		case "evaluate", "execute", "install", "enable", "charge", "transfer", "delete", "overwrite", "wipe", "reboot", "grant", "publish", "reset", "erase":
			return unconditional(v, d, w)
		case "send", "drop", "cancel", "approve", "acknowledge", "pay", "purge":
			if k == 0 {
				return unconditional(v, d, w)
			}
		}
	}
	return ""
}

// unconditional gives the verb unless the text says in which case it is done.
func unconditional(v *view, d *doc, verb string) string {
	for _, t := range v.tokens[d.tok0:d.tok1] {
		if w := v.word(d, t); w == "if" || w == "when" {
			return ""
		}
	}
	return verb
}
