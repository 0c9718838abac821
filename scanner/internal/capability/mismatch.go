package capability

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// powerAccount lists what in a tool's own words explains a power: meanings, and
// words that begin with a stem.
var powerAccount = [power.Count]struct {
	c     concept.Set
	stems []string
}{
	power.Exec: {concept.Shell,
		[]string{"run", "execut", "command", "code", "script", "process", "launch", "automat", "deploy", "build",
			"install",
			"start", "bot", "slash", "shell", "terminal"}},
	power.Secret: {concept.Secret | concept.CredPath | concept.Pay,
		[]string{"sign", "ssh", "wallet", "auth", "connect", "login", "deploy", "encrypt", "decrypt", "key",
			"token", "certificate", "server", "host", "aws", "cloud", "s3", "bucket", "api", "remote", "repository",
			"blockchain", "transaction", "card", "vault"}},
	power.Source: {concept.Conv,
		[]string{"screen", "clipboard", "browser", "capture", "record", "environment", "env", "history", "tab", "page",
			"device",
			"contact", "prompt", "agent", "chat", "file", "folder", "director", "backup", "visual", "camera", "photo"}},
	power.Sink: {concept.Send | concept.Link | concept.Tell,
		[]string{"webhook", "callback", "mail", "async", "job", "subscribe", "notify", "event", "message", "render",
			"crawl", "generat", "proxy", "scrape"}},
	power.Grant: {0, []string{"share", "permission", "access", "role", "publish", "invite", "public"}},
	power.Delete: {concept.Destroy,
		[]string{"clean", "clear", "trash", "archive", "manage", "edit", "replace", "prune", "expire", "cache", "write",
			"updat", "save", "export", "download", "convert", "creat"}},
	power.Send: {concept.Send, []string{"notif", "message", "mail", "share", "event"}},
	power.Write: {0, []string{"write", "save", "updat", "edit", "replac", "modif", "creat", "add", "chang", "export",
		"download", "install", "format", "convert", "generat"}},
	power.Pay: {concept.Pay,
		[]string{"transfer", "pay", "buy", "order", "bank", "iban", "wallet", "checkout", "donat", "subscri"}},
}

// Mismatch sums up the evidence for one tool. It reports the first evidence
// found.
type Mismatch struct {
	v        *tool.View
	is       Claims
	Weight   float64
	Evidence string
	Detail   string
}

func (m *Mismatch) more(w float64, e, format string, args ...any) {
	if w <= 0 {
		return
	}
	m.Weight += w
	if m.Detail == "" {
		m.Detail, m.Evidence = fmt.Sprintf(format, args...), e
	}
}

// accounted reports whether the tool's own words explain a power.
func (m *Mismatch) accounted(p power.Kind) bool { return explains(m.v, m.is.said, p) }

// explains reports whether the meanings of a tool's text, or a word of its name
// and description, explain a power.
func explains(v *tool.View, said concept.Set, p power.Kind) bool {
	a := &powerAccount[p]
	return said.Any(a.c) || v.Says(a.stems...)
}

// of returns the shape of a property.
func (m *Mismatch) of(name string) tool.ParamShape {
	shape := m.v.Shapes()
	return shape[name]
}

// param weighs a parameter whose name implies a power.
func (m *Mismatch) param(name string, p power.Kind) {
	if m.is.words == 0 && !m.is.claimed {
		return
	}
	switch p {
	case power.Exec, power.Secret, power.Source:
		m.reachingParam(name, p)
	case power.Sink:
		m.sinkParam(name)
	default:
		m.actingParam(name, p)
	}
}

// Texts of the evidence about a parameter.
const (
	unsaid    = "parameter %s %s, which nothing else about the tool says"
	denied    = "parameter %s %s in a tool that claims to change nothing"
	harmful   = "parameter %s %s in a tool that claims not to destroy"
	onUnasked = "parameter %s %s unless it is switched off, in a tool that only looks"
)

// reachingParam weighs a parameter that runs something, or that takes a secret
// or private data.
func (m *Mismatch) reachingParam(name string, p power.Kind) {
	is := &m.is
	switch {
	case m.accounted(p) && !is.viewer && !is.tentative && !is.claimed: // most tools: do not read their schema
	case p == power.Exec && m.of(name).IsChoice(): // no place for a command
	case !m.accounted(p) && p == power.Exec && !is.claimed && m.pageScript(name):
	case !m.accounted(p):
		w := 1.6
		if p == power.Source && !is.claimed && !is.viewer && !is.pure {
			w = 0.9
		}

		m.more(w, name, unsaid, name, power.Names[p])
	case (is.viewer || is.tentative) && m.of(name).IsOn():
		m.more(1.5, name, onUnasked, name, power.Names[p])
	case is.claimed && p == power.Exec && !is.said.Any(concept.Ask|concept.Meta) &&
		!m.v.Says("explain", "check", "valid", "pars", "lint", "inspect"):
		m.more(1, name, denied, name, power.Names[p])
	}
}

// sinkParam weighs a parameter that reports to an address.
func (m *Mismatch) sinkParam(name string) {
	is, what := &m.is, power.Names[power.Sink]
	if m.accounted(power.Sink) && (!is.closed && !is.promised || m.v.Says("webhook", "callback")) {
		if is.claimed && name == "bcc" {
			m.more(0.7, name, denied, name, what)
		}

		return
	}

	w := 0.8
	switch {
	case is.closed || is.claimed || is.pure:
		w = 1.5
	case is.viewer:
		w = 1
	}

	if len(m.of(name).Default) > 6 {
		w += 0.6
	}

	m.more(w, name, unsaid, name, what)
}

// actingParam weighs a parameter that changes, sends, deletes, grants or pays.
func (m *Mismatch) actingParam(name string, p power.Kind) {
	is := &m.is
	if m.of(name).IsNumeric() {
		return
	}

	on := m.of(name).IsOn()
	if p == power.Pay && m.accounted(p) && !on {
		switch name {
		case "iban", "payee", "beneficiary":
			return // the payee, in a tool about payments
		}
	}

	switch {
	case m.accounted(p) && !on && !is.claimed:
		if p == power.Delete && is.harmless && is.said.Any(concept.Read|concept.Show) && !is.tentative {
			m.more(1.4, name, harmful, name, power.Names[p])
		}
	case is.tentative && !on:
	case is.claimed && !(m.accounted(p) && p == power.Write):
		m.more(1.5, name, denied, name, power.Names[p])
	case p == power.Delete && is.harmless:
		m.more(1.4, name, harmful, name, power.Names[p])
	case is.viewer && !m.accounted(p):
		w := viewerWeights[p]
		if on {
			w += 0.6
		}

		m.more(w, name, unsaid, name, power.Names[p])
	}
}

// viewerWeights are the weights of powers in a tool that only reads.
var viewerWeights = [power.Count]float64{power.Delete: 1, power.Pay: 1.2, power.Grant: 0.8, power.Send: 0.8,
	power.Write: 0.7}

// pageScript reports whether a parameter is a script for the page that a
// browser tool opens.
func (m *Mismatch) pageScript(name string) bool {
	v := m.v
	if !char.HasSuffixFold(name, "script") || !v.Says("page", "tab", "browser", "navigat") {
		return false
	}

	for i := range v.Docs {
		d := &v.Docs[i]
		if f := &v.Fields[d.Field]; f.Kind != tool.KindParamDescription || f.Param != name || f.Output ||
			f.Layer != "" {
			continue
		}

		page := false
		for _, t := range v.Tokens[d.Tok0:d.Tok1] {
			switch v.Word(d, t) {
			case "page", "pages", "document", "documents", "frame", "frames":
				page = true
			}
		}

		if page && strings.Contains(d.Text, "JavaScript") {
			return true
		}
	}

	return false
}

// named finds names that imply an effect which the rest of the definition
// denies.
func (m *Mismatch) named() {
	v := m.v
	if !m.is.readOnly {
		return
	}

	for i := range v.Docs {
		d := &v.Docs[i]
		if v.Fields[d.Field].Kind != tool.KindName || d.Tok1 == d.Tok0 {
			continue
		}

		t := v.Tokens[d.Tok0]
		if w := v.Word(d, t); w == "echo" || w == "export" {
			continue // returns it to the caller
		}

		if reads(v.Tokens[d.Tok0+1 : d.Tok1]) {
			continue // the first word says of what: mail_get_webhook
		}

		if t.Form == lexicon.BaseForm && t.Means.Any(concept.Destroy|concept.Pay|concept.Send) &&
			!t.Means.Any(concept.Read|concept.Show|concept.Ask|concept.Tell|concept.Conv) &&
			!v.Says("preview", "status", "histor", "list", "count", "simulat", "check", "show", "render") {
			m.more(1.5, v.Name, "the name states an effect that the annotations deny")
		}
	}
}

// reads reports whether some word of a name is a verb for reading.
func reads(toks []token.Token) bool {
	return slices.ContainsFunc(toks, func(t token.Token) bool {
		return t.Form == lexicon.BaseForm && t.Means.Any(concept.Read|concept.Show)
	})
}

// FindMismatch compares what a tool claims to do with what it can do: its name,
// annotations and description with its parameters.
func FindMismatch(v *tool.View) Mismatch {
	v.Analyze()
	if !claimsMatter(v) {
		return Mismatch{}
	}

	m := Mismatch{v: v, is: claimsOf(v)}
	for i := range parameters(v) {
		if p := ParamPower(v, i); p != power.None {
			m.param(v.Fields[v.Docs[i].Field].Text, p)
		}
	}

	m.named()
	if e, w := deniedEffect(v, m.is.readOnly, m.is.harmless); w > 0 {
		m.more(w, e, "the description states an effect that the annotations or the name deny")
	}

	return m
}

// claimsMatter reports whether the tool has anything that its claims could
// deny. Most tools do not, so their claims need not be parsed.
func claimsMatter(v *tool.View) bool {
	if len(v.Annotations) > 0 {
		return true
	}
	for i := range parameters(v) {
		if ParamPower(v, i) != power.None {
			return true
		}
	}
	return false
}

// maxParameters is the number of parameters, with nested ones, above which a schema is that of
// a whole API, in which every power has its place.
const maxParameters = 30

// parameters yields the documents with names of parameters, and nothing if there are more
// than maxParameters.
func parameters(v *tool.View) iter.Seq[int] {
	is := func(i int) bool {
		f := &v.Fields[v.Docs[i].Field]
		return f.Kind == tool.KindParamName && !f.Output && f.Layer == ""
	}
	return func(yield func(int) bool) {
		n := 0
		for i := range v.Docs {
			if is(i) {
				n++
			}
		}

		for i := range v.Docs {
			if n <= maxParameters && is(i) && !yield(i) {
				return
			}
		}
	}
}
