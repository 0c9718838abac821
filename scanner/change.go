package scanner

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// change is what is new in a tool against the version that was approved.
type change struct {
	now, was *ToolView
	// added are the sentences that the approved version has not, lost those
	// of it that are gone.
	added, lost []sentenceAt
	// had is what the approved version speaks of.
	had    concept
	weight float64
	what   []string
	reg    *RegistryView
}

// sentenceAt is a sentence with the text that it stands in.
type sentenceAt struct {
	d *doc
	s *sentence
}

func (s sentenceAt) text() string {
	return strings.TrimSpace(s.d.text[s.s.start:s.s.end])
}

// maxCompared bounds the sentences, parameters and values that are compared.
const maxChanged = 256

func compare(now, was *ToolView, r *RegistryView) *change {
	c := &change{now: now, was: was, reg: r, had: was.maskAll()}
	now.analyze()
	c.added = newSentences(now, was)
	c.lost = newSentences(was, now)
	return c
}

// newSentences lists the sentences of v that other does not contain.
func newSentences(v, other *ToolView) []sentenceAt {
	var out []sentenceAt
	looked := 0
	for i := range v.docs {
		d := &v.docs[i]
		if layer := v.fields[d.field].layer; d.read || layer != "" && !deliberate(layer) && !respells(layer) {
			continue
		}
		encoded := v.hidesCode(d.field)
		for s := d.sen0; s < d.sen1 && looked < maxChanged; s++ {
			looked++
			at := sentenceAt{d, &v.clauses[s]}
			text := strings.TrimRight(at.text(), ".;:, ")
			if text != "" && !other.contains(text) && !(encoded && isCode(text)) {
				out = append(out, at)
			}
		}
	}
	return out
}

// isCode says whether a sentence is mostly what was decoded from it.
func isCode(s string) bool {
	letters, all := 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] > ' ' {
			all++
			if letterByte(s[i]) {
				letters++
			}
		}
	}
	return letters*2 < all || proseCost(s) > costStrange
}

func (c *change) more(w float64, what string) {
	if w > 0 && !slices.Contains(c.what, what) {
		c.weight += w
		c.what = append(c.what, what)
	}
}

// protects says whether a sentence limits what the tool does or has the user
// decide: "is never stored", "asks first", "secrets are masked", "only below".
func (v *ToolView) protects(at sentenceAt) bool {
	toks := v.tokens[at.s.tok0:at.s.tok1]
	frees := false
	for k, t := range toks {
		switch v.word(at.d, t) {
		case "out":
			if k > 0 && v.word(at.d, toks[k-1]) == "left" && at.s.mask.any(cSecret|cPersonal) {
				return true
			}
		case "longer", "needed", "required", "unnecessary", "treated", "considered", "counts", "count", "skipped", "assumed", "deemed":
			frees = frees || at.s.mask.any(cAsk|cGuard|cNeg)
		case "only", "masked", "hidden", "excluded", "below", "never", "redacted", "encrypted", "private", "restored", "trash", "refused", "refuses", "rejected", "denied", "confirms", "confirm", "confirmed", "approves", "approved", "asked", "asks", "reviewed", "reviews", "limited", "deleted", "agreed", "agrees", "consented", "consents", "linked", "opted", "blanked", "anonymised", "anonymized", "pseudonymised":
			if w := v.word(at.d, t); (w == "agreed" || w == "agrees" || w == "consented" || w == "consents" || w == "linked" || w == "opted") && (!at.s.mask.any(cUser) || at.s.mask.any(cNeg)) {
				continue
			}
			if v.word(at.d, t) != "deleted" || k > 0 && toks[k-1].c.any(cBe) && at.s.mask.any(cWhen) {
				return !at.s.mask.any(cConv) && !frees
			}
		}
	}
	if frees {
		return false
	}
	if at.s.foreign {
		return !at.s.mask.any(cTell|cNow) && (at.s.mask.any(cNeg) && !at.s.mask.any(cAsk) || at.s.mask.any(cAsk) && !at.s.mask.any(cNeg))
	}
	if at.s.mask.has(cAsk|cUser) && !at.s.mask.any(cNeg) {
		return true
	}
	if !at.s.mask.any(cNeg) || at.s.mask.any(cTell|cKnow) && !at.s.mask.any(cSecret|cPersonal) {
		return false
	}
	for k, t := range toks {
		if t.c.any(cNeg) {
			for _, n := range toks[k:min(k+5, len(toks))] {
				if n.c.any(cTell | cKnow) {
					break
				}
				if n.c.any(cSend|cInclude|cChange|cDestroy|cPay|cCall|cRead|cAsk) || v.word(at.d, n) == "touched" || v.word(at.d, n) == "kept" {
					return true
				}
			}
		}
	}
	return false
}

// riskyConcepts are meanings that a definition should not gain unnoticed, with
// what gaining each weighs.
var riskyConcepts = []struct {
	c      concept
	weight float64
	what   string
}{
	{cCredPath, 1.5, "files with credentials"},
	{cSecret, 0.6, "secrets"},
	{cSecret | cSend, 0.5, "sending secrets"},
	{cConv | cHistory, 0.8, "the conversation"},
	{cConv | cWhole, 0.9, "the whole conversation"},
	{cConv | cSend, 0.7, "sending the conversation"},
	{cConv | cInclude, 0.9, "attaching the conversation"},
	{cSecretly, 0.8, "secrecy"},
	{cNeg | cTell, 0.6, "withholding"},
	{cShell, 0.7, "commands"},
	{cDestroy, 0.6, "deletion"},
	{cPay, 0.6, "payment"},
	{cPay | cUrgent, 0.5, "payment at once"},
	{cSend | cOutside, 1.4, "sending outside"},
	{cInclude | cOutside, 1, "keeping outside"},
	{cSend, 0.4, "sending"},
	{cIgnore, 0.5, "overriding"},
	{cModel, 0.6, "the model"},
	{cModel | cInstr, 0.8, "instructions to the model"},
	{cOther | cTool, 0.8, "other tools"},
	{cOther | cTool | cBefore, 0.4, "a place before other tools"},
	{cMust | cCall, 0.5, "an order to call"},
	{cPersonal, 0.7, "personal data"},
	{cPersonal | cInclude, 0.5, "passing personal data"},
	{cPersonal | cSend, 0.5, "sending personal data"},
	{cMust | cBefore, 0.5, "precedence"},
	{cPrefer | cMust, 0.5, "preference"},
	{cPersonal | cOutside, 0.6, "personal data for outsiders"},
	{cDeceive, 0.8, "deception"},
	{cNow | cOther, 0.6, "a standing order"},
	{cAllow | cDestroy, 0.6, "leave to delete"},
}

// sentences weighs what the added sentences speak of, and the promises that
// are gone.
func (c *change) sentences() {
	v := c.now
	for _, at := range c.added {
		if c.frees(at) {
			c.more(1, "leave to act without asking")
		} else if v.protects(at) || c.retires(at) || at.s.senses.any(sUntrusted) {
			continue
		}
		kind := v.fields[at.d.field].kind
		for _, risk := range riskyConcepts {
			if !at.s.mask.has(risk.c) || c.had.has(risk.c) && !c.sharp(risk.c) {
				continue
			}
			w := risk.weight
			if kind == kindParamName || kind == kindEnum || at.s.tok1-at.s.tok0 < 3 {
				w *= 0.4
			}
			c.more(w, risk.what)
		}
		if c.mentionsOther(at) {
			c.more(1, "another server's tool")
		}
		if c.widens(at) {
			w := 0.6
			if kind != kindDescription {
				w = 0.8
			}
			if at.s.mask.any(cTarget | cUser | cPersonal | cShell) {
				w += 0.3
			}
			c.more(w, "a wider reach")
		}
	}
	for _, at := range c.lost {
		if !c.was.protects(at) || c.kept(at) {
			continue
		}
		w := 0.8
		if len(c.added) == 0 {
			w = 1
		}
		c.more(w, "an end to a promise")
		for _, n := range c.added {
			if !n.s.mask.any(cNeg) && similarText(at.text(), n.text()) >= 0.2 {
				c.more(0.4, "the opposite of a promise")
			}
		}
	}
}

// sharp meanings count when a sentence newly joins them, even if the approved
// text has each of them apart.
func (c *change) sharp(want concept) bool { return want&(want-1) != 0 && !c.was.together(want) }

// retires says whether a sentence announces the end of the tool itself.
func (c *change) retires(at sentenceAt) bool {
	toks := c.now.tokens[at.s.tok0:at.s.tok1]
	for k, t := range toks {
		switch c.now.word(at.d, t) {
		case "untrusted":
			return true // a warning
		case "deprecated":
			return k < 2 || at.s.tok1-at.s.tok0 < 12
		case "removed", "shut", "retired", "discontinued", "sunset":
			if at.s.mask.any(cModal) && k < 8 && !at.s.mask.any(cFile|cUser|cConv) || c.now.word(at.d, toks[0]) == "it" || k > 0 && c.now.word(at.d, toks[0]) == "version" {
				return true
			}
		}
	}
	return false
}

// kept says whether the promise of a lost sentence stands in other words.
func (c *change) kept(at sentenceAt) bool {
	text := at.text()
	for _, n := range c.added {
		if c.now.protects(n) && similarText(text, n.text()) >= 0.25 {
			return true
		}
	}
	// The sentence may only have been joined with another.
	for _, n := range c.added {
		if similarText(text, n.text()) >= 0.7 {
			return true
		}
	}
	return false
}

// mentionsOther says whether a sentence names a tool of another server of the
// registry, other than by sending people there.
func (c *change) mentionsOther(at sentenceAt) bool {
	if c.reg == nil {
		return false
	}
	x := frameContext{v: c.now, reg: c.reg, doc: at.d}
	x.enter(at.s)
	m, ok := x.mention(0)
	if !ok || !m.other {
		return false
	}
	return x.mask.any(cNow|cMust|cChange|cOther|cWhen|cSend|cInclude|cPay|cIgnore|cNeg|cTarget) || x.literalSink()
}

// widens says whether a sentence opens what was limited: any path, all
// accounts, production as well.
func (c *change) widens(at sentenceAt) bool {
	toks := c.now.tokens[at.s.tok0:at.s.tok1]
	for k, t := range toks {
		switch c.now.word(at.d, t) {
		case "any", "all", "whatever", "everything", "anything", "every":
			if k+1 < len(toks) && c.now.fields[at.d.field].kind != kindDescription || at.s.mask.any(cFile|cShell|cUser|cConv|cTarget|cDestroy|cPersonal) {
				if k+1 < len(toks) && !toks[k+1].c.any(cTask|cResult) {
					return true
				}
			}
		case "force", "implied", "production", "private", "partners", "unrestricted", "unlimited", "public":
			if c.now.word(at.d, t) != "public" || k > 0 && toks[k-1].c.any(cBe) {
				return true
			}
		}
	}
	return false
}

// frees says whether a sentence does away with asking somebody.
func (c *change) frees(at sentenceAt) bool {
	m := at.s.mask
	if !m.any(cAsk | cGuard) {
		return false
	}
	v := c.now
	for k := at.s.tok0; k < at.s.tok1; k++ {
		switch v.word(at.d, v.tokens[k]) {
		case "longer", "unnecessary", "unneeded", "assumed", "implied", "treated", "considered", "count", "counts", "deemed", "waived", "skipped", "answered", "wanted", "presumed", "entfallen", "entfällt":
			return true
		case "needed", "required", "necessary":
			if m.any(cNeg) || k > at.s.tok0 && v.word(at.d, v.tokens[k-1]) == "not" {
				return true
			}
		}
	}
	return at.s.foreign && m.has(cAsk|cNeg) && m.any(cNow|cPrior|cMust)
}

// hosts weighs addresses that the approved version does not name.
func (c *change) hosts() {
	for _, sink := range c.now.sinks() {
		if c.was.contains(sink) {
			continue
		}
		w := 1.0
		for i := range c.now.docs {
			d := &c.now.docs[i]
			if k := strings.Index(d.text, sink); k >= 0 {
				kind := c.now.fields[d.field].kind
				s := c.now.sentenceAt(d, k)
				switch {
				case kind == kindDefault || kind == kindEnum:
					w = 1.5
				case s != nil && c.now.protects(sentenceAt{d, s}), s != nil && !s.mask.any(cSend|cInclude|cChange|cPay) || strings.Contains(sink, "docs") || strings.Contains(sink, "github.com"):
					w = 0.4
				}
				break
			}
		}
		c.more(w, "the address "+sink)
		return
	}
}

// parameters weighs new parameters, and what the schema says of old ones.
func (c *change) parameters() {
	oldPower, newPower := c.was.powers(), c.now.powers()
	for p := powerExec; p < powerCount; p++ {
		if newPower[p] && !oldPower[p] {
			w := 0.9
			switch p {
			case powerExec, powerSecret, powerSource:
				w = 1.1
			case powerSend, powerWrite, powerSink:
				w = 0.5
			}
			if c.said(p) {
				w *= 0.5
			}
			c.more(w, "a parameter that "+powerNames[p])
		}
	}
	now, required := c.now.shapes()
	was, wasRequired := c.was.shapes()
	for _, name := range sortedKeys(now) {
		old, known := was[name]
		if !known {
			if sensitiveName(name) && !c.had.any(cSecret|cPersonal) {
				w := 0.7
				if required[name] {
					w = 1.2
				}
				c.more(w, "a parameter for something private")
			}
			continue
		}
		if required[name] && !wasRequired[name] {
			c.more(0.2, "a parameter that must be given")
		}
		if d := now[name].Default; len(d) > 0 && !bytes.Equal(d, old.Default) {
			c.defaultChanged(name, old.Default, d)
		}
	}
}

// said says whether the approved text already explains a power.
func (c *change) said(p power) bool {
	return c.had.any(powerAccount[p].c) || c.was.says(powerAccount[p].stems...)
}

// defaultChanged weighs a default by what it now says or switches on.
func (c *change) defaultChanged(name string, old, now json.RawMessage) {
	switch {
	case string(now) == "true":
		w := 0.4
		for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' }) {
			switch powerWords[strings.ToLower(word)] {
			case powerNone, powerSource:
			default:
				w = 1
			}
			switch strings.ToLower(word) {
			case "force", "all", "recursive", "confirm", "yes", "auto", "shared", "silent", "anyone":
				w = 1
			}
		}
		c.more(w, "a switch that is on by default")
	case bytes.HasPrefix(now, []byte(`"`)) && len(now) > 3 && len(old) > 0:
		w := 0.3
		if bytes.Contains(now, []byte("://")) || bytes.ContainsRune(now, '@') {
			w = 1.2
		}
		c.more(w, "another default")
	case bytes.HasPrefix(now, []byte(`"`)):
		for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' }) {
			switch strings.ToLower(word) {
			case "payee", "recipient", "account", "to", "destination", "beneficiary", "iban", "bcc", "cc", "wallet", "target", "endpoint", "remote":
				c.more(1.2, "a destination by default")
			}
		}
	}
}

// sensitiveName says whether a parameter's name asks for what only the user
// should give: a secret, a session, a list of people.
func sensitiveName(name string) bool {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		switch strings.ToLower(word) {
		case "key":
			if low := strings.ToLower(name); strings.Contains(low, "api") || strings.Contains(low, "private") || strings.Contains(low, "access") {
				return true
			}
		case "password", "passwd", "passphrase", "phrase", "pin", "cvv", "otp", "cookie", "cookies", "session", "authorization", "bearer", "auth", "apikey", "token", "secret", "credentials", "credential", "contacts",
			"conversation", "transcript", "history", "passport", "ssn", "clipboard", "keychain", "card", "iban", "wallet", "contexto", "verlauf":
			return true
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// annotations weighs hints that were given and are gone.
func (c *change) annotations() {
	old, now := c.was.Annotations, c.now.Annotations
	if hintTrue(old, "readOnlyHint") && !hintTrue(now, "readOnlyHint") {
		c.more(1, "an end to being read-only")
	}
	if hintFalse(old, "destructiveHint") && !hintFalse(now, "destructiveHint") || !hintTrue(old, "destructiveHint") && hintTrue(now, "destructiveHint") {
		c.more(0.4, "destructive effects")
	}
	if hintFalse(old, "openWorldHint") && hintTrue(now, "openWorldHint") {
		c.more(0.6, "contact with the outside")
	}
}
