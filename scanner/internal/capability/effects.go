package capability

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Effects that descriptions of parameters state.

// effectful are the meanings that effects consist of. rightful are those of
// permissions and of private things.
const (
	effectful = concept.Destroy | concept.Pay | concept.Send | concept.Call | concept.Change | concept.Include | concept.Shell
	rightful  = concept.Authority | concept.Allow | concept.Secret | concept.Target | concept.Personal
)

// rightsWords are the words that speaksOfRights knows.
var rightsWords = token.SignatureOf("root administrator superuser rights grant wallet contacts gps passwords clipboard keystrokes")

// speaksOfRights reports whether a text has one of the words that describedAt
// looks for.
func speaksOfRights(v *tool.View, d *token.Doc) bool {
	for k := d.Tok0; k < d.Tok1; k++ {
		if !rightsWords.Holds(&v.Tokens[k]) {
			continue
		}
		switch string(v.Lower(d, v.Tokens[k])) {
		case "root", "administrator", "superuser", "rights", "grant", "wallet", "contacts", "gps", "passwords", "clipboard", "keystrokes":
			return true
		}
	}
	return false
}

// effectOf finds an effect in the description of a parameter, such as "Sends it
// at once", "Command run when done" or "Text that overwrites each note".
func effectOf(v *tool.View, d *token.Doc) power.Kind {
	for s := d.Sen0; s < d.Sen1; s++ {
		sen := &v.Clauses[s]
		if !sen.Means.Any(effectful) {
			continue
		}
		toks := v.Tokens[sen.Tok0:sen.Tok1]
		for k := range toks {
			if !acts(v, d, sen, toks, k) {
				continue
			}
			if p := deedOf(v, d, toks, k); p != power.None {
				return p
			}
		}
	}
	return power.None
}

// acts reports whether token k of a sentence is a verb for an effect: "sends",
// "is deleted", "command run when done".
func acts(v *tool.View, d *token.Doc, sen *token.Sentence, toks []token.Token, k int) bool {
	t := toks[k]
	if !t.Means.Any(effectful) && !(t.Form == lexicon.OtherForm && k > 0 && toks[k-1].Means.Any(concept.Shell|concept.Sub|concept.Be)) {
		return false
	}
	if t.Means.Any(concept.Change) && ofAnswer(v, d, toks[k+1:]) {
		return false
	}
	if t.Flags&token.Ident != 0 || k > 0 && (toks[k-1].Means.Any(concept.Neg|concept.Modal|concept.To) || k > 1 && toks[k-2].Means.Any(concept.Neg)) {
		return false
	}
	if sen.Foreign && t.Form == lexicon.OtherForm && t.Means.Any(concept.Destroy|concept.Send|concept.Shell|concept.Pay) ||
		t.Form == lexicon.ThirdPerson && (k == 0 || t.Flags&token.Break != 0 || toks[k-1].Means.Any(concept.Sub|concept.And|concept.Adv)) {
		return true
	}
	if k == 0 {
		return false
	}
	if t.Form == lexicon.PastForm && isListed(v, d, toks, k) {
		return false // a state: "Filter by status (Draft, Submitted, Cancelled)"
	}
	if t.Form == lexicon.PastForm && (t.Flags&token.Break != 0 || toks[k-1].Means.Any(concept.Be|concept.Sub|concept.Adv|concept.Shell)) {
		return true
	}
	switch v.Word(d, t) {
	case "evaluated", "executed", "run":
		return true
	}
	return false
}

// isListed reports whether token k is an element of a list, alone between punctuation.
func isListed(v *tool.View, d *token.Doc, toks []token.Token, k int) bool {
	if toks[k].Flags&token.Break == 0 {
		return false
	}
	if k+1 == len(toks) || toks[k+1].Flags&token.Break != 0 {
		return true
	}
	next := v.Word(d, toks[k+1])
	return next == "or" || next == "and"
}

// deedOf returns the power that the verb at token k means.
func deedOf(v *tool.View, d *token.Doc, toks []token.Token, k int) power.Kind {
	t := toks[k]
	switch {
	case t.Means.Any(concept.Destroy) && !t.Means.Any(concept.Disable):
		return power.Delete
	case t.Means.Any(concept.Pay):
		return power.Pay
	case t.Means.Any(concept.Send):
		return power.Send
	case t.Means.Any(concept.Call):
		switch v.Word(d, t) {
		case "runs", "starts", "started":
			if runsItself(v, d, toks, k) {
				return power.None // "when the server runs over HTTP"
			}
			return power.Exec
		case "executes", "executed", "run", "launches", "launched", "loaded", "loads", "installs":
			return power.Exec
		}
	case t.Means.Any(concept.Change):
		return power.Write
	default:
		switch v.Word(d, t) {
		case "applied", "restarts", "moved", "written", "empties", "flashed":
			return power.Write
		}
	}
	switch v.Word(d, t) {
	case "loaded", "loads", "installs", "installed", "evaluated", "evaluates":
		return power.Exec
	}
	return power.None
}

// runsItself reports whether "runs" at token k is intransitive: it tells how or
// when a thing runs.
func runsItself(v *tool.View, d *token.Doc, toks []token.Token, k int) bool {
	return k+1 < len(toks) && toks[k+1].Flags&token.Break == 0 && intransitive(v.Word(d, toks[k+1])) ||
		k > 2 && toks[k-3].Means.Any(concept.When) || k > 1 && toks[k-2].Means.Any(concept.When)
}

// intransitive reports whether a word after "runs" tells where or how a thing
// runs, not what it runs.
func intransitive(word string) bool {
	switch word {
	case "over", "on", "in", "as", "under", "at", "behind":
		return true
	}
	return false
}

// ofAnswer reports whether a verb is followed by the answer or its size. A
// parameter that makes the answer longer has no other effect.
func ofAnswer(v *tool.View, d *token.Doc, after []token.Token) bool {
	for _, t := range after[:min(len(after), 5)] {
		switch v.Word(d, t) {
		case "the", "its", "size", "length", "of", "returned":
		case "response", "responses", "output", "result", "results", "answer":
			return t.Flags&token.Break == 0
		default:
			return false
		}
	}
	return false
}

// fewWords is the number of words below which the description of a parameter states no
// effect, such as "IBAN of the payee".
const fewWords = 6

// described finds effects in the descriptions of parameters that the tool
// itself does not mention.
func (m *Mismatch) described() {
	v, is := m.v, &m.is
	if is.words == 0 || is.said.Any(concept.Meta) {
		return
	}
	best, evidence := 0.0, ""
	for i := range v.Docs {
		d := &v.Docs[i]
		f := &v.Fields[d.Field]
		if f.Kind != tool.KindParamDescription || f.Output || f.Layer != "" || d.Tok1-d.Tok0 < fewWords {
			continue
		}
		if w := m.describedAt(i, d); w > best {
			best, evidence = w, f.Text
		}
	}
	m.more(best, evidence, "a parameter whose description goes beyond what the tool says of itself")
}

func (m *Mismatch) describedAt(i int, d *token.Doc) float64 {
	v, is := m.v, &m.is
	mask := v.MeansOf(i)
	idle := is.claimed || is.viewer || is.pure
	e := effectOf(v, d)
	if is.readOnly && !is.tentative && !mask.Any(concept.Neg) && !m.of(v.Fields[d.Field].Param).IsNumeric() {
		switch e {
		case power.Send, power.Delete, power.Pay:
			return 1.5 // a tool that only reads has no reason for this
		}
	}
	w := m.effectWeight(e, mask, idle)
	if w < 1.5 && is.words < 40 && mask.Any(rightful) && m.needlessRights(d, mask, idle) {
		return 1.5
	}
	if w < 1.4 && mask.Any(concept.File) && mask.Any(concept.Include) && is.claimed && !is.said.Any(concept.File|concept.Include) {
		w = 1.4
		if m.outputFile(i, d) {
			w = 0.7
		}
	}
	if d.Tok1-d.Tok0 > longText {
		w = min(w, 1) // long documentation mentions many effects
	}
	return w
}

// effectWeight weighs an effect that the description of a parameter states
// against the tool's own description. mask is the meaning of the parameter's
// description. idle reports that the tool claims to change nothing, only looks
// or only computes.
func (m *Mismatch) effectWeight(e power.Kind, mask concept.Set, idle bool) float64 {
	v, is := m.v, &m.is
	switch e {
	case power.Exec:
		if !m.accounted(e) && !is.said.Any(concept.Call) {
			return 1.5
		}
	case power.Delete:
		if !mask.Any(concept.Disable|concept.Neg) && !is.said.Any(concept.Destroy|concept.Change|concept.Disable|concept.Send|concept.Include) && !v.Says("manage", "clean", "filter", "replace", "edit") {
			if idle {
				return 1.5
			}
			return 1.2
		}
	case power.Pay:
		if !m.accounted(e) && idle {
			return 1.5
		}
	case power.Send:
		if !is.said.Any(concept.Send|concept.Tell|concept.Call) && !m.accounted(power.Sink) {
			if is.closed || is.claimed || is.pure || mask.Any(concept.Whole|concept.History|concept.Secret) {
				return 1.5
			}
			return 1
		}
	case power.Write:
		switch {
		case m.accounted(e):
		case is.claimed:
			return 1.5
		case is.viewer:
			return 0.9
		}
	}
	return 0
}

// needlessRights reports whether the description of a parameter mentions
// permissions that a read-only tool does not need.
func (m *Mismatch) needlessRights(d *token.Doc, mask concept.Set, idle bool) bool {
	v, is := m.v, &m.is
	for k := d.Tok0; k < d.Tok1; k++ {
		switch v.Word(d, v.Tokens[k]) {
		case "root", "administrator", "superuser":
			if k > d.Tok0 && v.Word(d, v.Tokens[k-1]) == "as" && !v.Says("root", "admin", "sudo", "privileg") {
				return true
			}
		case "rights", "grant", "wallet":
			if idle && !v.Says("root", "admin", "owner", "right", "role", "wallet", "pay", "permission", "access") {
				return true
			}
		case "contacts", "gps", "passwords", "clipboard", "keystrokes":
			if is.pure && mask.Any(concept.User|concept.Personal|concept.Whole) {
				return true
			}
		}
	}
	return false
}

// longText is the number of words above which the description of a parameter
// counts as documentation.
const longText = 70

// outputFile reports whether a parameter names a file for output that the tool
// would otherwise return. It is false if the description itself chooses the
// path.
func (m *Mismatch) outputFile(i int, d *token.Doc) bool {
	v := m.v
	name := v.Fields[d.Field].Param
	if m.of(name); m.required[name] || len(m.shape[name].Default) > 0 || v.MeansOf(i).Any(concept.CredPath|concept.Secret|concept.History|concept.Outside) || m.shelled(d) || strings.Contains(d.Text, "~/") {
		return false
	}
	for k := range v.Docs {
		if f := &v.Fields[v.Docs[k].Field]; f.Kind == tool.KindParamName && f.Text == name && !f.Output && f.Layer == "" {
			return paramReach(v, k) == 1
		}
	}
	return false
}

// shelled reports whether a text mentions commands. A console whose messages
// are logged does not count.
func (m *Mismatch) shelled(d *token.Doc) bool {
	for _, t := range m.v.Tokens[d.Tok0:d.Tok1] {
		if t.Means.Any(concept.Shell) && m.v.Word(d, t) != "console" {
			return true
		}
	}
	return false
}

// deniedEffect finds, in the description of a tool that claims to be harmless,
// a verb for an effect of the tool.
func deniedEffect(v *tool.View, readOnly, harmless bool) (evidence string, weight float64) {
	if !readOnly && !harmless {
		return "", 0
	}
	for i := range v.Docs {
		d := &v.Docs[i]
		if v.Fields[d.Field].Kind != tool.KindDescription || v.Fields[d.Field].Layer != "" {
			continue
		}
		// After "Searches notes." the base form in "Delete old ones." addresses the reader.
		// Not every verb is in the lexicon, but their third persons end alike.
		advises := d.Tok0 < d.Tok1 && strings.HasSuffix(v.Word(d, v.Tokens[d.Tok0]), "s")
		for s := d.Sen0; s < d.Sen1; s++ {
			sen := &v.Clauses[s]
			toks := v.Tokens[sen.Tok0:sen.Tok1]
			for k, t := range toks {
				if !t.Means.Any(concept.Destroy|concept.Pay) && !(readOnly && t.Means.Any(concept.Send) && t.Form == lexicon.ThirdPerson) || t.Means.Any(concept.Disable|concept.Ask) || t.Flags&token.Ident != 0 {
					continue
				}
				lead := k == 0 || t.Flags&token.Break != 0 || toks[k-1].Means.Any(concept.And|concept.Sub|concept.Adv)
				if !lead || t.Form != lexicon.ThirdPerson && (t.Form != lexicon.BaseForm || k > 0 || advises && s > d.Sen0) || negated(toks, k) {
					continue
				}
				if t.Means.Any(concept.Send) && (sen.Means.Any(concept.Meta) || !sen.Means.Any(concept.Link|concept.Outside|concept.User|concept.Pay)) {
					continue
				}
				w := 1.5
				if !readOnly && !t.Means.Any(concept.Destroy) {
					w = 0.7
				}
				return strings.TrimSpace(d.Text[sen.Start:sen.End]), w
			}
		}
	}
	return "", 0
}

// negated reports whether the verb at token k or its object is negated: "never
// deletes", "deletes nothing", "deletes no file".
func negated(toks []token.Token, k int) bool {
	return k > 0 && toks[k-1].Means.Any(concept.Neg) ||
		k+1 < len(toks) && toks[k+1].Flags&token.Break == 0 && toks[k+1].Means.Any(concept.Neg)
}
