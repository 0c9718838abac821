package scanner

import (
	"strings"
)

// powerOf gives what powerWords and filterWords say of a token.
func powerOf(l *lexicon, t token) power { return l.latin.exact(t.node).power }

// paramPower reads a parameter's name word by word.
func paramPower(v *view, i int) power {
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
	filtered := n > 1 && powerOf(lex, toks[n-1])&powerFilter != 0 || strings.Contains(d.text, "Base64") || strings.Contains(d.text, "base64")
	for k := range toks {
		prev, cur = cur, lowerASCII(prev, d.text[toks[k].start:min(toks[k].end, toks[k].start+24)])
		first, last := k == 0, k == n-1
		switch p := powerOf(lex, toks[k]) &^ powerFilter; p {
		case powerNone:
		case powerExec, powerSecret, powerSource, powerSink:
			if p != powerExec || last || powerOf(lex, toks[k+1])&powerFilter == 0 {
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
			if p := foreignPower(v, d, toks[k], k, toks); p != powerNone && !filtered {
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

// foreignPower reads a word of a name that English does not know.
func foreignPower(v *view, d *doc, t token, k int, toks []token) power {
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
