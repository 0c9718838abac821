package change

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
)

// limits weighs changes outside of sentences: new enum values that act, removed
// bounds, and a replaced host.
func (c *Change) limits() {
	type bounds struct {
		Enum    []any
		Maximum *float64
	}
	read := func(v *frames.Reading) map[string]bounds {
		var s struct{ Properties map[string]json.RawMessage }
		out := map[string]bounds{}
		if json.Unmarshal(v.InputSchema, &s) != nil {
			return out
		}
		for name, raw := range s.Properties {
			var b bounds
			if json.Unmarshal(raw, &b) == nil {
				out[name] = b
			}
		}
		return out
	}
	now, was := read(c.now), read(c.was)
	text := strings.ToLower(c.now.Description)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		old, known := was[name]
		if !known {
			continue
		}
		had := map[any]bool{}
		for _, e := range old.Enum {
			if s, ok := e.(string); ok {
				had[s] = true
			}
		}
		for _, e := range now[name].Enum {
			if s, ok := e.(string); ok && len(old.Enum) > 0 && !had[s] && actingValue(s) {
				w := 1.0
				if strings.Contains(text, strings.ToLower(s)) {
					w = 0.4 // the description mentions it
				}
				c.more(w, "the value "+s)
			}
		}
		if m := now[name].Maximum; old.Maximum != nil && (m == nil || *m > 10**old.Maximum) {
			w := 0.3
			if c.had.Any(concept.Pay | concept.Destroy | concept.Send) {
				w = 0.6
			}
			c.more(w, "an end to an upper bound")
		}
	}
	for _, at := range c.lost {
		if at.s.Means.Any(concept.Pay|concept.Destroy|concept.Send) && boundsTool(c.was, at) && !c.bounded() {
			c.more(0.6, "an end to a limit")
		}
	}
	if gone, come := exchangedHost(c.was.Description, c.now.Description); gone && come != "" {
		c.more(1, "the host "+come)
	}
}

// actingValue reports whether a value of an enum does something that a client
// should know about.
func actingValue(s string) bool {
	switch strings.ToLower(s) {
	case "delete", "remove", "purge", "drop", "wipe", "impersonate", "exec", "execute", "shell", "admin", "root", "transfer", "pay", "force", "grant", "sudo", "destroy", "publish", "send", "withdraw", "escalate", "superuser", "owner":
		return true
	}
	return false
}

// boundsTool reports whether a sentence of the tool limits it: "up to", "at most".
func boundsTool(v *frames.Reading, at sentenceAt) bool {
	for k := at.s.Tok0; k+1 < at.s.Tok1; k++ {
		w, next := v.Word(at.d, v.Tokens[k]), v.Word(at.d, v.Tokens[k+1])
		if w == "up" && next == "to" || w == "at" && next == "most" || w == "maximum" || w == "limited" || w == "max" || w == "below" {
			return true
		}
	}
	return false
}

// bounded reports whether the present text still limits the tool.
func (c *Change) bounded() bool {
	for i := range c.now.Docs {
		d := &c.now.Docs[i]
		for s := d.Sen0; s < d.Sen1; s++ {
			if boundsTool(c.now, sentenceAt{d, &c.now.Clauses[s]}) {
				return true
			}
		}
	}
	return false
}

// exchangedHost reports whether a bare host name of the old text was replaced,
// and by which one.
func exchangedHost(was, now string) (gone bool, come string) {
	before, after := bareHosts(was), bareHosts(now)
	for _, h := range before {
		gone = gone || !strings.Contains(now, h)
	}
	for _, h := range after {
		if !strings.Contains(was, h) {
			come = h
		}
	}
	return gone, come
}

// bareHosts lists at most eight words of a text that are host names with three
// or more labels.
func bareHosts(text string) (hosts []string) {
	for w := range strings.FieldsSeq(text) {
		w = strings.Trim(w, ".,;:()`'\"")
		if strings.Count(w, ".") < 2 || strings.Contains(w, "/") || strings.Contains(w, "..") || len(hosts) == 8 {
			continue
		}
		last := w[strings.LastIndexByte(w, '.')+1:]
		letters := len(last) >= 2
		for i := range len(last) {
			letters = letters && last[i]|0x20 >= 'a' && last[i]|0x20 <= 'z'
		}
		if letters {
			hosts = append(hosts, w)
		}
	}
	return hosts
}
