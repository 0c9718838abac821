package scanner

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// checkCapability compares what a tool claims to do with what it takes: its
// name, annotations and description against its parameters.
var checkCapability = registered{capabilityInfo, inspectCapability}

var capabilityInfo = CheckInfo{
	ID: "capability.mismatch", Tier: TierSoft, ThreatType: ThreatUncategorized,
	Description: "parameters or effects that the tool's name, annotations and description do not account for",
}

// power is what a parameter gives a tool.
type power uint8

const (
	powerNone power = iota
	powerExec
	powerSecret
	powerSink
	powerDelete
	powerSend
	powerWrite
	powerPay
)

var powerNames = [...]string{"", "runs commands or code", "takes a private secret", "reports to an address", "deletes", "sends", "writes", "pays"}

// paramPower reads a parameter's name word by word.
func (v *ToolView) paramPower(i int) power {
	d := &v.docs[i]
	toks := v.tokens[d.tok0:d.tok1]
	word := func(k int) string { return strings.ToLower(d.text[toks[k].start:toks[k].end]) }
	for k := range toks {
		last := k == len(toks)-1
		switch w := word(k); w {
		case "command", "cmd", "shell", "exec", "eval", "script", "bash", "powershell", "payload", "sudo", "execute", "subprocess":
			if w == "payload" && len(toks) == 1 || w == "script" && !last {
				continue
			}
			return powerExec
		case "password", "passphrase", "mnemonic", "passwd":
			if k > 0 && (word(k-1) == "new" || word(k-1) == "set" || word(k-1) == "reset") {
				return powerWrite
			}
		case "key":
			if k > 0 && (word(k-1) == "private" || word(k-1) == "ssh" || word(k-1) == "rsa") {
				return powerSecret
			}
		case "phrase":
			if k > 0 && (word(k-1) == "seed" || word(k-1) == "recovery") {
				return powerSecret
			}
		case "webhook", "callback", "exfil", "beacon", "bcc", "hook", "postback":
			return powerSink
		case "delete", "remove", "destroy", "purge", "wipe", "drop", "erase", "truncate", "overwrite":
			if len(toks) == 1 || k == 0 || last {
				return powerDelete
			}
		case "send", "upload", "publish", "forward", "notify":
			if k == 0 {
				return powerSend
			}
		case "write", "save", "modify", "update":
			if k == 0 && len(toks) > 1 {
				return powerWrite
			}
		case "transfer", "pay", "withdraw":
			if k == 0 {
				return powerPay
			}
		}
	}
	return powerNone
}

// paramReach says what a parameter reaches for: 1 files, 2 the network, 3
// credentials, 0 nothing of the kind.
func (v *ToolView) paramReach(i int) int {
	d := &v.docs[i]
	reach := 0
	for _, t := range v.tokens[d.tok0:d.tok1] {
		switch string(v.lower(d, t)) {
		case "path", "file", "filename", "directory", "dir", "folder", "filepath":
			reach = 1
		case "url", "host", "endpoint", "uri", "hostname", "ip", "port", "proxy", "remote":
			reach = 2
		case "token", "password", "credential", "credentials", "cookie", "cookies", "secret", "auth":
			return 3
		}
	}
	return reach
}

func count(set []bool) (n int) {
	for _, b := range set {
		if b {
			n++
		}
	}
	return n
}

func inspectCapability(v *ToolView, _ *RegistryView) []Signal {
	docs := v.analyze()
	// What the tool says of itself, its parameters apart.
	var said, name concept
	var words int
	for i := range docs {
		switch f := &v.fields[docs[i].field]; {
		case f.layer != "":
		case f.kind == kindName:
			name |= v.maskOf(i)
			said |= name
		case f.kind == kindDescription:
			said |= v.maskOf(i)
			words += docs[i].tok1 - docs[i].tok0
		}
	}
	readOnly := hintTrue(v.Annotations, "readOnlyHint")
	harmless := hintFalse(v.Annotations, "destructiveHint")
	claimed := readOnly || v.saysReadOnly()
	// What a tool that only computes has no use for.
	pure := words > 0 && !said.any(cFile|cLink|cSend|cShell|cTool|cSecret|cPersonal|cConv|cTarget|cOutside|cMemory|cCall|cDestroy) && !v.says("image", "video", "audio", "document", "pdf", "data", "search", "fetch", "get", "list", "load", "save", "read", "write", "open", "upload", "download", "connect", "web", "page", "site", "api", "git", "sql", "table", "model", "project", "account", "user", "screen", "browser", "create", "update", "add", "presentation", "sheet", "slide", "chart", "map")
	var reaches [4]bool
	weight, detail, evidence := 0.0, "", ""
	more := func(w float64, e, format string, args ...any) {
		weight += w
		if detail == "" {
			detail, evidence = fmt.Sprintf(format, args...), e
		}
	}
	for i := range docs {
		f := &v.fields[docs[i].field]
		if f.kind != kindParamName || f.output || f.layer != "" {
			continue
		}
		p := v.paramPower(i)
		if p == powerNone {
			if pure {
				reaches[v.paramReach(i)] = true
			}
			continue
		}
		switch p {
		case powerExec:
			unsaid := !said.any(cShell) && !v.says("run", "execute", "command", "code", "script", "process", "launch", "automation", "deploy", "build", "install", "start", "bot", "slash", "shell", "terminal")
			if unsaid && words > 0 {
				more(1.6, f.text, "parameter %s %s, which nothing else about the tool says", f.text, powerNames[p])
			} else if claimed {
				more(1, f.text, "parameter %s %s in a tool that claims to be read-only", f.text, powerNames[p])
			}
		case powerSecret:
			unsaid := !said.any(cSecret|cCredPath|cPay) && !v.says("sign", "ssh", "wallet", "auth", "connect", "login", "deploy", "encrypt", "decrypt", "key", "token", "certificate", "server", "host", "remote", "repository", "blockchain", "transaction")
			if unsaid && words > 0 {
				more(1.5, f.text, "parameter %s %s, which nothing else about the tool says", f.text, powerNames[p])
			}
		case powerSink:
			if !said.any(cSend|cLink|cTell) && !v.says("webhook", "callback", "mail", "email", "async", "job", "subscribe", "notify", "event", "message", "render", "crawl") {
				w := 0.8
				if claimed {
					w = 1.5
				}
				more(w, f.text, "parameter %s %s, which nothing else about the tool says", f.text, powerNames[p])
			} else if claimed && strings.EqualFold(f.text, "bcc") {
				more(0.7, f.text, "parameter %s in a tool that claims to be read-only", f.text)
			}
		case powerDelete, powerSend, powerWrite, powerPay:
			if claimed && !v.says("dry", "preview", "plan", "simulat", "estimat", "report", "count") {
				more(1.5, f.text, "parameter %s %s in a tool that claims to be read-only", f.text, powerNames[p])
			} else if p == powerDelete && harmless {
				more(1.4, f.text, "parameter %s %s in a tool that claims not to destroy", f.text, powerNames[p])
			} else if p == powerDelete && name.any(cRead) && !said.any(cDestroy|cChange) && words > 0 {
				more(1, f.text, "parameter %s %s in a tool that only reads by its name", f.text, powerNames[p])
			}
		}
	}
	if n := count(reaches[1:]); n > 1 || n == 1 && weight > 0 {
		more(0.7*float64(n), v.Name, "parameters reach for files, the network or credentials, which a tool that only computes does not need")
	}
	if name.any(cDestroy|cPay|cSend) && readOnly && !name.any(cRead|cShow|cAsk|cTell) {
		more(1.5, v.Name, "the name states an effect that the annotations deny")
	}
	if e, w := v.describedPowers(said, name, claimed, words); w > 0 {
		more(w, e, "a parameter whose description goes beyond what the tool says of itself")
	}
	if e, w := v.effects(readOnly, harmless, name); w > 0 {
		more(w, e, "the description states an effect that the annotations or the name deny")
	}
	if weight < softWeight {
		return nil
	}
	return []Signal{{CheckID: capabilityInfo.ID, Tier: TierSoft, ThreatType: ThreatUncategorized,
		Confidence: min(weight/4, 0.9), Evidence: evidence, Detail: detail}}
}

// describedPowers reads the descriptions of parameters for effects that the
// tool itself does not mention.
func (v *ToolView) describedPowers(said, name concept, claimed bool, words int) (evidence string, weight float64) {
	if words == 0 || said.any(cMeta) {
		return "", 0
	}
	for i := range v.docs {
		d := &v.docs[i]
		f := &v.fields[d.field]
		if f.kind != kindParamDescription || f.output || f.layer != "" || d.tok1-d.tok0 < 3 {
			continue
		}
		m := v.maskOf(i)
		w := 0.0
		runs, sends := false, false
		for k := d.tok0; k < d.tok1; k++ {
			t := v.tokens[k]
			runs = runs || t.c.any(cShell) && !t.c.any(cTool)
			sends = sends || t.c.any(cSend) && t.f != formOther
		}
		switch {
		case runs && m.any(cCall|cBefore) && !said.any(cShell|cCall|cRead|cSend) && !v.says("run", "exec", "command", "code", "script", "shell", "terminal"):
			w = 1.5
		case m.any(cDestroy) && !m.any(cDisable|cNeg) && !said.any(cDestroy|cChange|cDisable|cSend|cInclude) && !v.says("manage", "clean", "filter", "replace", "edit"):
			w = 1.2
			if claimed || name.any(cRead|cShow) {
				w = 1.5
			}
		case sends && m.any(cLink|cOutside|cTarget) && !said.any(cSend|cLink|cTell|cCall) && !v.says("webhook", "http", "api", "fetch", "mail", "web", "site", "page", "crawl", "message"):
			w = 1
			if claimed || m.any(cWhole|cHistory|cSecret) {
				w = 1.5
			}
		case m.any(cFile) && m.any(cInclude) && claimed && !said.any(cFile|cInclude):
			w = 1.4
		}
		if w > weight {
			evidence, weight = f.text, w
		}
	}
	return evidence, weight
}

func (v *ToolView) maskOf(i int) (c concept) {
	for _, t := range v.tokens[v.docs[i].tok0:v.docs[i].tok1] {
		c |= t.c
	}
	return c
}

// says looks for words that begin with one of the stems in the name and the
// description.
func (v *ToolView) says(stems ...string) bool {
	for i := range v.docs {
		d := &v.docs[i]
		if k := v.fields[d.field].kind; k > kindDescription || v.fields[d.field].layer != "" {
			continue
		}
		for _, t := range v.tokens[d.tok0:d.tok1] {
			for _, s := range stems {
				if hasFoldPrefix(d.text[t.start:t.end], s) {
					return true
				}
			}
		}
	}
	return false
}

// saysReadOnly looks for the claim in the description: "read-only" at its
// start, "never stores", "does not modify", "without sending".
func (v *ToolView) saysReadOnly() bool {
	for i := range v.docs {
		d := &v.docs[i]
		if v.fields[d.field].kind != kindDescription || v.fields[d.field].layer != "" {
			continue
		}
		is := func(k int, words ...string) bool { return slices.Contains(words, string(v.lower(d, v.tokens[k]))) }
		for k := d.tok0; k+1 < d.tok1; k++ {
			if k <= d.tok0+3 && is(k, "read") && is(k+1, "only") {
				return true
			}
			if !v.tokens[k].c.any(cNeg) || !is(k, "never", "not", "without", "doesn't", "nothing", "no") || is(k, "not") && (k == d.tok0 || !is(k-1, "does")) {
				continue
			}
			for j := k + 1; j < min(k+4, d.tok1); j++ {
				if is(j, "store", "stores", "storing", "stored", "modify", "modifies", "modifying", "send", "sends", "sending", "sent",
					"change", "changes", "changing", "write", "writes", "writing", "delete", "deletes", "effects", "touch", "touches", "leave", "leaves") {
					return true
				}
			}
		}
	}
	return false
}

// effects finds, in the description of a tool that claims to be harmless, a
// verb of its own doing that is not.
func (v *ToolView) effects(readOnly, harmless bool, name concept) (evidence string, weight float64) {
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
				if t.c.any(cSend) && !sen.mask.any(cLink|cOutside|cUser|cPay) {
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

// hintTrue and hintFalse read one boolean of the annotations, leniently.
func hintTrue(raw []byte, key string) bool  { return hint(raw, key, "true") }
func hintFalse(raw []byte, key string) bool { return hint(raw, key, "false") }

func hint(raw []byte, key, want string) bool {
	i := bytes.Index(raw, []byte(`"`+key+`"`))
	if i < 0 {
		return false
	}
	rest := bytes.TrimLeft(raw[i+len(key)+2:], " \t\r\n:")
	return bytes.HasPrefix(rest, []byte(want))
}
