package change

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/capability"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// New parameters and changed promises of a version.

// hosts weighs addresses that the approved version does not name.
func (c *Change) hosts() {
	for _, sink := range sinksOf(c.now) {
		if c.was.Contains(sink) {
			continue
		}
		w := 1.0
		for i := range c.now.Docs {
			d := &c.now.Docs[i]
			if k := strings.Index(d.Text, sink); k >= 0 {
				kind := c.now.Fields[d.Field].Kind
				s := c.now.SentenceAt(d, k)
				switch {
				case kind == tool.KindDefault || kind == tool.KindEnum:
					w = 1.5
				case s != nil && protects(c.now, sentenceAt{d, s}), s != nil && !s.Means.Any(concept.Send|concept.Include|concept.Change|concept.Pay) || strings.Contains(sink, "docs") || strings.Contains(sink, "github.com"):
					w = 0.4
				}
				break
			}
		}
		c.more(w, "the address "+sink)
		return
	}
}

// parameters weighs new parameters and changes in the schema of old ones.
func (c *Change) parameters() {
	oldPower, newPower := powersOf(c.was), powersOf(c.now)
	for p := power.Exec; p < power.Count; p++ {
		if newPower[p] && !oldPower[p] {
			w := 0.9
			switch p {
			case power.Exec, power.Secret, power.Source:
				w = 1.1
			case power.Send, power.Write, power.Sink:
				w = 0.5
			}
			if c.said(p) {
				w *= 0.5
			}
			c.more(w, "a parameter that "+power.Names[p])
		}
	}
	now, required := c.now.Shapes()
	was, wasRequired := c.was.Shapes()
	for _, name := range slices.Sorted(maps.Keys(now)) {
		old, known := was[name]
		if !known {
			if sensitiveName(name) && !c.had.Any(concept.Secret|concept.Personal) {
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

// said reports whether the approved text already explains a power.
func (c *Change) said(p power.Kind) bool { return capability.Explains(&c.was.View, c.had, p) }

// defaultChanged weighs a changed default by what the new value says or
// enables.
func (c *Change) defaultChanged(name string, old, now json.RawMessage) {
	switch {
	case string(now) == "true":
		w := 0.4
		for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' }) {
			switch power.Words[strings.ToLower(word)] {
			case power.None, power.Source:
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
		if receives(name) {
			c.more(1.2, "a destination by default")
		}
	}
}

// receives reports whether a parameter's name is that of a destination.
func receives(name string) bool {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' }) {
		switch strings.ToLower(word) {
		case "payee", "recipient", "account", "to", "destination", "beneficiary", "iban", "bcc", "cc", "wallet", "target", "endpoint", "remote":
			return true
		}
	}
	return false
}

// sensitiveName reports whether a parameter's name asks for something that only
// the user should provide: a secret, a session, a list of people.
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

// annotations weighs hints that were removed.
func (c *Change) annotations() {
	old, now := c.was.Annotations, c.now.Annotations
	if tool.HintTrue(old, "readOnlyHint") && !tool.HintTrue(now, "readOnlyHint") {
		c.less(1, "only reads", "/annotations/readOnlyHint")
	}
	if tool.HintFalse(old, "destructiveHint") && !tool.HintFalse(now, "destructiveHint") {
		c.less(0.4, "promises to destroy nothing", "/annotations/destructiveHint")
	}
	if tool.HintFalse(old, "openWorldHint") && tool.HintTrue(now, "openWorldHint") {
		c.less(0.6, "keeps to itself", "/annotations/openWorldHint")
	}
}
