package capability

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// powerOf gives what power.Words and power.FilterWords say of a token.
func powerOf(l *lexicon.Lexicon, t token.Token) power.Kind { return l.Latin.Exact(t.Node).Power }

// ParamPower reads a parameter's name word by word.
func ParamPower(v *tool.View, i int) power.Kind {
	d := &v.Docs[i]
	toks := v.Tokens[d.Tok0:d.Tok1]
	n := len(toks)
	if n == 0 {
		return power.None
	}
	lex := lexicon.Get()
	foreign := d.Stats.Foreign > 0 || v.Foreign()
	if !foreign && !tellsPower(lex, toks) {
		return power.None
	}
	var low [2][24]byte
	prev, cur := low[0][:0], low[1][:0]
	filtered := n > 1 && powerOf(lex, toks[n-1])&power.Filter != 0 || strings.Contains(d.Text, "Base64") || strings.Contains(d.Text, "base64")
	for k := range toks {
		prev, cur = cur, char.LowerASCII(prev, d.Text[toks[k].Start:min(toks[k].End, toks[k].Start+24)])
		first, last := k == 0, k == n-1
		switch p := powerOf(lex, toks[k]) &^ power.Filter; p {
		case power.None:
		case power.Exec, power.Secret, power.Source, power.Sink:
			if p != power.Exec || last || powerOf(lex, toks[k+1])&power.Filter == 0 {
				return p
			}
		case power.Delete:
			if !filtered && (n == 1 || first || last) {
				return p
			}
		case power.Write:
			if !filtered && (first && n > 1 || last) {
				return p
			}
		case power.Grant:
			if first || n == 1 {
				return p
			}
		default:
			if !filtered {
				return p
			}
		}
		if p := pairPower(prev, cur, first, last, n); p != power.None && !(filtered && p == power.Exec) {
			return p
		}
		if foreign {
			if p := foreignPower(v, d, toks[k], k, toks); p != power.None && !filtered {
				return p
			}
		}
	}
	return power.None
}

// tellsPower says whether some word of a name may give a power.
func tellsPower(lex *lexicon.Lexicon, toks []token.Token) bool {
	for k := range toks {
		t := &toks[k]
		if lex.Latin.Exact(t.Node).Power&^power.Filter != power.None || pairWords.Holds(t) {
			return true
		}
	}
	return false
}

// pairWords are the words that pairPower knows.
var pairWords = token.SignatureOf(`backup backups audit auditing logging alarm alarms alerts 2fa mfa firewall protection verification monitoring
	payload script run root admin administrator password passphrase passwd passwords logins key phrase seed number directory dir folder
	history tabs dump prompt contacts camera push endpoint url host server to with value content owner state role permission permissions
	rights`)

// pairPower judges a word of a name by the one before it.
func pairPower(prev, cur []byte, first, last bool, n int) power.Kind {
	switch string(cur) {
	case "backup", "backups", "audit", "auditing", "logging", "alarm", "alarms", "alerts", "2fa", "mfa", "firewall", "protection", "verification", "monitoring":
		switch string(prev) {
		case "disable", "stop", "pause", "mute", "skip", "bypass", "suspend":
			return power.Delete
		}
	case "payload":
		if n > 1 {
			return power.Exec
		}
	case "script":
		if last {
			return power.Exec
		}
	case "run":
		if (first && n < 3 || last) && string(prev) != "dry" && string(prev) != "test" {
			return power.Exec // run, run_as, then_run
		}
	case "root", "admin", "administrator":
		if string(prev) == "as" {
			return power.Exec
		}
	case "password", "passphrase", "passwd":
		switch string(prev) {
		case "new", "set", "reset":
			return power.Write
		case "sudo", "root", "master", "wallet":
			return power.Secret
		}
	case "passwords", "logins":
		if string(prev) == "saved" || string(prev) == "stored" {
			return power.Secret
		}
	case "key":
		switch string(prev) {
		case "private", "ssh", "rsa", "signing", "access":
			return power.Secret
		}
	case "phrase", "seed":
		switch string(prev) {
		case "seed", "recovery", "wallet":
			return power.Secret
		}
	case "number":
		if string(prev) == "card" {
			return power.Secret
		}
	case "directory", "dir", "folder":
		if string(prev) == "home" {
			return power.Source
		}
	case "history", "tabs":
		switch string(prev) {
		case "browser", "browsing", "shell", "bash", "chat", "open", "conversation":
			return power.Source
		}
	case "dump":
		switch string(prev) {
		case "env", "environment", "memory", "session":
			return power.Source
		}
	case "prompt":
		if string(prev) == "system" {
			return power.Source
		}
	case "contacts", "camera":
		if string(prev) == "device" || string(prev) == "phone" {
			return power.Source
		}
	case "push":
		if string(prev) == "force" {
			return power.Delete
		}
	case "endpoint", "url", "host", "server":
		switch string(prev) {
		case "analytics", "remote", "report", "notify", "tracking", "telemetry", "collector", "exfil", "mirror":
			return power.Sink
		}
	case "to", "with":
		// upload_to, post_to, share_with
		if !last {
			return power.None
		}
		switch string(prev) {
		case "upload", "post", "send", "forward", "copy", "mirror", "report", "sync", "publish", "traffic", "stream", "submit":
			return power.Sink
		case "share":
			return power.Grant
		case "transfer", "pay":
			return power.Pay
		case "move", "rename":
			return power.Write
		}
	case "value", "content", "owner", "state":
		switch string(prev) {
		case "new":
			return power.Write
		case "to", "as":
			return power.Grant
		}
	case "role", "permission", "permissions", "rights":
		if string(prev) == "grant" || string(prev) == "new" || string(prev) == "set" {
			return power.Grant
		}
	}
	return power.None
}

// foreignPower reads a word of a name that English does not know.
func foreignPower(v *tool.View, d *token.Doc, t token.Token, k int, toks []token.Token) power.Kind {
	c := t.Means
	if w := d.Text[t.Start:t.End]; char.HasSuffixFold(w, "ados") || char.HasSuffixFold(w, "adas") || char.HasSuffixFold(w, "ado") || char.HasSuffixFold(w, "ada") || char.HasSuffixFold(w, "ée") || char.HasSuffixFold(w, "ées") {
		return power.None // a participle selects
	}
	if c == 0 || c == concept.Foreign {
		e, ok := lexicon.Get().Foreign.LongestText(d.Text[t.Start:t.End])
		if !ok {
			return power.None
		}
		c = e.Means
	} else if t.Node != 0 {
		return power.None // an English word
	}
	switch {
	case c.Any(concept.Shell):
		return power.Exec
	case c.Any(concept.Destroy):
		return power.Delete
	case c.Any(concept.Pay) && k == 0:
		return power.Pay
	case c.Any(concept.Send) && (k == 0 || t.Node == 0 && d.Text[t.Start] >= 0x80):
		return power.Send
	case c.Any(concept.Secret):
		for i := range toks {
			switch strings.ToLower(d.Text[toks[i].Start:toks[i].End]) {
			case "ssh", "privee", "privada", "privat", "privater":
				return power.Secret
			}
		}
	}
	return power.None
}
