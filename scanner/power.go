package scanner

import (
	"bytes"
	"encoding/json"
	"strings"
)

// power is what a parameter gives a tool.
type power uint8

const (
	powerNone power = iota
	powerExec
	powerSecret
	powerSource
	powerSink
	powerGrant
	powerDelete
	powerSend
	powerWrite
	powerPay
	powerCount
)

var powerNames = [powerCount]string{"", "runs commands or code", "takes a private secret", "takes what is private to the user",
	"reports to an address", "grants rights", "deletes", "sends", "writes", "pays"}

// powerWords gives the power that a word of a parameter's name stands for,
// wherever it stands. Words that need a neighbour are in paramPower.
var powerWords = map[string]power{
	"command": powerExec, "cmd": powerExec, "shell": powerExec, "exec": powerExec, "eval": powerExec, "bash": powerExec,
	"powershell": powerExec, "sudo": powerExec, "execute": powerExec, "subprocess": powerExec, "kernel": powerExec,
	"mnemonic": powerSecret, "keychain": powerSecret, "keystore": powerSecret, "cvv": powerSecret, "cvc": powerSecret,
	"clipboard": powerSource, "screenshot": powerSource, "microphone": powerSource, "webcam": powerSource,
	"keystrokes": powerSource, "keylog": powerSource, "printenv": powerSource, "dotenv": powerSource, "dotfiles": powerSource,
	"webhook": powerSink, "callback": powerSink, "exfil": powerSink, "beacon": powerSink, "bcc": powerSink, "hook": powerSink,
	"postback": powerSink, "smtp": powerSink,
	"delete": powerDelete, "remove": powerDelete, "destroy": powerDelete, "purge": powerDelete, "wipe": powerDelete,
	"drop": powerDelete, "erase": powerDelete, "truncate": powerDelete, "overwrite": powerDelete, "shred": powerDelete,
	"send": powerSend, "upload": powerSend, "publish": powerSend, "forward": powerSend, "notify": powerSend,
	"dispatch": powerSend, "broadcast": powerSend, "invite": powerSend,
	"write": powerWrite, "save": powerWrite, "store": powerWrite, "modify": powerWrite, "update": powerWrite, "flash": powerWrite,
	"firmware": powerWrite, "install": powerWrite, "replacement": powerWrite,
	"transfer": powerPay, "pay": powerPay, "withdraw": powerPay, "buy": powerPay, "purchase": powerPay, "checkout": powerPay,
	"beneficiary": powerPay, "payee": powerPay, "iban": powerPay, "settle": powerPay, "payout": powerPay,
	"cancel": powerDelete, "alter": powerWrite, "ddl": powerWrite, "restart": powerWrite, "reboot": powerWrite, "shutdown": powerWrite, "exploit": powerExec,
	"grant": powerGrant, "promote": powerGrant, "demote": powerGrant, "unlock": powerGrant, "silence": powerGrant, "mute": powerGrant, "public": powerGrant, "chmod": powerGrant,
}

// filterWords end names of parameters that select or label what the power
// words before them are about: transfer_id, delete_older_than_days.
var filterWords = map[string]bool{
	"id": true, "ids": true, "status": true, "date": true, "time": true, "type": true, "types": true, "name": true, "names": true,
	"count": true, "number": true, "since": true, "server": true, "channel": true, "interval": true, "policy": true, "mode": true,
	"limit": true, "state": true, "preview": true, "sample": true, "template": true, "format": true, "version": true, "reason": true,
	"filter": true, "pattern": true, "threshold": true, "days": true, "hours": true, "minutes": true, "seconds": true, "history": true, "index": true,
	"strategy": true, "method": true, "options": true, "settings": true, "duplicates": true, "whitespace": true, "html": true, "markup": true, "punctuation": true, "accents": true, "stopwords": true, "timeout": true, "size": true, "order": true, "category": true,
}

// powerFilter marks the words of filterWords among the lexicon's powers.
const powerFilter power = 0x40

// power gives what powerWords and filterWords say of a token.
func (l *lexicon) power(t token) power { return l.latin.exact(t.node).power }

// paramPower reads a parameter's name word by word.
func (v *ToolView) paramPower(i int) power {
	d := &v.docs[i]
	toks := v.tokens[d.tok0:d.tok1]
	n := len(toks)
	if n == 0 {
		return powerNone
	}
	lex := theLexicon()
	foreign := d.stats.foreign > 0 || v.foreign()
	if !foreign && !tellsPower(lex, toks) {
		return powerNone
	}
	var low [2][24]byte
	prev, cur := low[0][:0], low[1][:0]
	filtered := n > 1 && lex.power(toks[n-1])&powerFilter != 0 || strings.Contains(d.text, "Base64") || strings.Contains(d.text, "base64")
	for k := range toks {
		prev, cur = cur, lowerASCII(prev, d.text[toks[k].start:min(toks[k].end, toks[k].start+24)])
		first, last := k == 0, k == n-1
		switch p := lex.power(toks[k]) &^ powerFilter; p {
		case powerNone:
		case powerExec, powerSecret, powerSource, powerSink:
			if p != powerExec || last || lex.power(toks[k+1])&powerFilter == 0 {
				return p
			}
		case powerDelete:
			if !filtered && (n == 1 || first || last) {
				return p
			}
		case powerWrite:
			if !filtered && (first && n > 1 || last) {
				return p
			}
		case powerGrant:
			if first || n == 1 {
				return p
			}
		default:
			if !filtered {
				return p
			}
		}
		if p := pairPower(prev, cur, first, last, n); p != powerNone && !(filtered && p == powerExec) {
			return p
		}
		if foreign {
			if p := v.foreignPower(d, toks[k], k, toks); p != powerNone && !filtered {
				return p
			}
		}
	}
	return powerNone
}

// tellsPower says whether some word of a name may give a power.
func tellsPower(lex *lexicon, toks []token) bool {
	for k := range toks {
		t := &toks[k]
		if lex.latin.exact(t.node).power&^powerFilter != powerNone || pairWords.holds(t) {
			return true
		}
	}
	return false
}

// pairWords are the words that pairPower knows.
var pairWords = signatureOf(`backup backups audit auditing logging alarm alarms alerts 2fa mfa firewall protection verification monitoring
	payload script run root admin administrator password passphrase passwd passwords logins key phrase seed number directory dir folder
	history tabs dump prompt contacts camera push endpoint url host server to with value content owner state role permission permissions
	rights`)

// pairPower judges a word of a name by the one before it.
func pairPower(prev, cur []byte, first, last bool, n int) power {
	switch string(cur) {
	case "backup", "backups", "audit", "auditing", "logging", "alarm", "alarms", "alerts", "2fa", "mfa", "firewall", "protection", "verification", "monitoring":
		switch string(prev) {
		case "disable", "stop", "pause", "mute", "skip", "bypass", "suspend":
			return powerDelete
		}
	case "payload":
		if n > 1 {
			return powerExec
		}
	case "script":
		if last {
			return powerExec
		}
	case "run":
		if (first && n < 3 || last) && string(prev) != "dry" && string(prev) != "test" {
			return powerExec // run, run_as, then_run
		}
	case "root", "admin", "administrator":
		if string(prev) == "as" {
			return powerExec
		}
	case "password", "passphrase", "passwd":
		switch string(prev) {
		case "new", "set", "reset":
			return powerWrite
		case "sudo", "root", "master", "wallet":
			return powerSecret
		}
	case "passwords", "logins":
		if string(prev) == "saved" || string(prev) == "stored" {
			return powerSecret
		}
	case "key":
		switch string(prev) {
		case "private", "ssh", "rsa", "signing", "access":
			return powerSecret
		}
	case "phrase", "seed":
		switch string(prev) {
		case "seed", "recovery", "wallet":
			return powerSecret
		}
	case "number":
		if string(prev) == "card" {
			return powerSecret
		}
	case "directory", "dir", "folder":
		if string(prev) == "home" {
			return powerSource
		}
	case "history", "tabs":
		switch string(prev) {
		case "browser", "browsing", "shell", "bash", "chat", "open", "conversation":
			return powerSource
		}
	case "dump":
		switch string(prev) {
		case "env", "environment", "memory", "session":
			return powerSource
		}
	case "prompt":
		if string(prev) == "system" {
			return powerSource
		}
	case "contacts", "camera":
		if string(prev) == "device" || string(prev) == "phone" {
			return powerSource
		}
	case "push":
		if string(prev) == "force" {
			return powerDelete
		}
	case "endpoint", "url", "host", "server":
		switch string(prev) {
		case "analytics", "remote", "report", "notify", "tracking", "telemetry", "collector", "exfil", "mirror":
			return powerSink
		}
	case "to", "with":
		// upload_to, post_to, share_with
		if !last {
			return powerNone
		}
		switch string(prev) {
		case "upload", "post", "send", "forward", "copy", "mirror", "report", "sync", "publish", "traffic", "stream", "submit":
			return powerSink
		case "share":
			return powerGrant
		case "transfer", "pay":
			return powerPay
		case "move", "rename":
			return powerWrite
		}
	case "value", "content", "owner", "state":
		switch string(prev) {
		case "new":
			return powerWrite
		case "to", "as":
			return powerGrant
		}
	case "role", "permission", "permissions", "rights":
		if string(prev) == "grant" || string(prev) == "new" || string(prev) == "set" {
			return powerGrant
		}
	}
	return powerNone
}

// foreign says whether the tool's texts hold words of other languages.
func (v *ToolView) foreign() bool {
	if !v.languageDone {
		v.otherLanguage, v.languageDone = v.readsForeign(), true
	}
	return v.otherLanguage
}

func (v *ToolView) readsForeign() bool {
	for i := range min(len(v.docs), 3) {
		d := &v.docs[i]
		if d.stats.foreign > 0 || d.stats.marks&markBeyond != 0 {
			return true
		}
		if v.fields[d.field].kind == kindDescription && d.stats.words > 2 {
			// No English function word, and most words unknown.
			return !v.maskOf(i).any(cStop) && d.stats.known*2 < d.stats.words
		}
	}
	return false
}

// foreignPower reads a word of a name that English does not know.
func (v *ToolView) foreignPower(d *doc, t token, k int, toks []token) power {
	c := t.c
	if w := d.text[t.start:t.end]; hasFoldSuffix(w, "ados") || hasFoldSuffix(w, "adas") || hasFoldSuffix(w, "ado") || hasFoldSuffix(w, "ada") || hasFoldSuffix(w, "ée") || hasFoldSuffix(w, "ées") {
		return powerNone // a participle selects
	}
	if c == 0 || c == cForeign {
		e, ok := theLexicon().foreign.longestText(d.text[t.start:t.end])
		if !ok {
			return powerNone
		}
		c = e.c
	} else if t.node != 0 {
		return powerNone // an English word
	}
	switch {
	case c.any(cShell):
		return powerExec
	case c.any(cDestroy):
		return powerDelete
	case c.any(cPay) && k == 0:
		return powerPay
	case c.any(cSend) && (k == 0 || t.node == 0 && d.text[t.start] >= 0x80):
		return powerSend
	case c.any(cSecret):
		for i := range toks {
			switch strings.ToLower(d.text[toks[i].start:toks[i].end]) {
			case "ssh", "privee", "privada", "privat", "privater":
				return powerSecret
			}
		}
	}
	return powerNone
}

// paramShape is what a schema says about a property besides its texts.
type paramShape struct {
	Type    json.RawMessage
	Format  string
	Default json.RawMessage
}

func (p paramShape) numeric() bool {
	return bytes.Contains(p.Type, []byte("integer")) || bytes.Contains(p.Type, []byte("number"))
}

func (p paramShape) on() bool { return string(p.Default) == "true" }

// shapes reads the top level of the input schema; what cannot be read has no
// shape. Only tools with something to ask about get here, and once.
func (v *ToolView) shapes() (shape map[string]paramShape, required map[string]bool) {
	if v.shape == nil {
		v.shape, v.required = readShapes(v.InputSchema)
	}
	return v.shape, v.required
}

func readShapes(schema json.RawMessage) (shape map[string]paramShape, required map[string]bool) {
	var s struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	required = map[string]bool{}
	shape = map[string]paramShape{}
	if json.Unmarshal(schema, &s) != nil {
		return shape, required
	}
	for name, raw := range s.Properties {
		var p paramShape
		if json.Unmarshal(raw, &p) == nil {
			shape[name] = p
		}
	}
	for _, name := range s.Required {
		required[name] = true
	}
	return shape, required
}
