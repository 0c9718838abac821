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

// powerOf returns the power that power.Words or power.FilterWords assign to a
// token.
func powerOf(l *lexicon.Lexicon, t token.Token) power.Kind { return l.Latin.Exact(t.Node).Power }

// ParamPower returns the power that a parameter's name implies, judged word by
// word.
func ParamPower(v *tool.View, i int) power.Kind {
	d := &v.Docs[i]
	toks := v.Tokens[d.Tok0:d.Tok1]
	n := len(toks)
	if n == 0 {
		return power.None
	}

	lex := lexicon.Get()
	foreign := v.Foreign()
	if !foreign && !tellsPower(lex, toks) {
		return power.None
	}

	var low [2][24]byte
	prev, cur := low[0][:0], low[1][:0]
	filtered := n > 1 && powerOf(lex, toks[n-1])&power.Filter != 0 || strings.Contains(d.Text, "Base64") ||
		strings.Contains(d.Text, "base64")
	for k := range toks {
		prev, cur = cur, char.LowerASCII(prev, d.Text[toks[k].Start:min(toks[k].End, toks[k].Start+24)])
		if p := wordPower(lex, toks, k, filtered); p != power.None {
			return p
		}

		if p := pairPower(prev, cur, k == 0, k == n-1, n); p != power.None && !(filtered && p == power.Exec) {
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

// wordPower is the power that word k of a name implies at its place. filtered
// reports that the name only selects by what its words mean.
func wordPower(lex *lexicon.Lexicon, toks []token.Token, k int, filtered bool) power.Kind {
	n := len(toks)
	first, last := k == 0, k == n-1
	p := powerOf(lex, toks[k]) &^ power.Filter
	gives := !filtered
	switch p {
	case power.None:
	case power.Exec:
		gives = !filtered && (last || powerOf(lex, toks[k+1])&power.Filter == 0)
	case power.Secret, power.Source, power.Sink:
		gives = true
	case power.Delete:
		gives = !filtered && (n == 1 || first || last)
	case power.Write:
		gives = !filtered && (first && n > 1 || last)
	case power.Grant:
		gives = first || n == 1
	}

	if !gives {
		return power.None
	}

	return p
}

// tellsPower reports whether some word of a name may imply a power.
func tellsPower(lex *lexicon.Lexicon, toks []token.Token) bool {
	for k := range toks {
		t := &toks[k]
		if lex.Latin.Exact(t.Node).Power&^power.Filter != power.None || pairWords.Holds(t) {
			return true
		}
	}
	return false
}

// pairs are words of names that imply a power after a certain other word:
// disable_backup, sudo_password.
var pairs = []struct {
	words, before string
	gives         power.Kind
}{
	{"backup backups audit auditing logging alarm alarms alerts 2fa mfa firewall protection verification monitoring",
		"disable stop pause mute skip bypass suspend", power.Delete},
	{"root admin administrator", "as", power.Exec},
	{"password passphrase passwd", "new set reset", power.Write},
	{"password passphrase passwd", "sudo root master wallet", power.Secret},
	{"passwords logins", "saved stored", power.Secret},
	{"key", "private ssh rsa signing access", power.Secret},
	{"phrase seed", "seed recovery wallet", power.Secret},
	{"number", "card", power.Secret},
	{"directory dir folder", "home", power.Source},
	{"history tabs", "browser browsing shell bash chat open conversation", power.Source},
	{"dump", "env environment memory session", power.Source},
	{"prompt", "system", power.Source},
	{"contacts camera", "device phone", power.Source},
	{"push", "force", power.Delete},
	{"endpoint url host server", "analytics remote report notify tracking telemetry collector exfil mirror",
		power.Sink},
	{"value content owner state", "new", power.Write},
	{"value content owner state", "to as", power.Grant},
	{"role permission permissions rights", "grant new set", power.Grant},
}

// lastPairs are the same for words that end a name: upload_to, share_with.
var lastPairs = []struct {
	words, before string
	gives         power.Kind
}{
	{"to with", "upload post send forward copy mirror report sync publish traffic stream submit", power.Sink},
	{"to with", "share", power.Grant},
	{"to with", "transfer pay", power.Pay},
	{"to with", "move rename", power.Write},
}

// pairPowers and lastPairPowers index pairs and lastPairs by the word and the
// one before it. pairWords is the signature of all words that pairPower
// recognises.
var pairPowers, lastPairPowers, pairWords = func() (any, last map[string]map[string]power.Kind, words token.Signature) {
	any, last = map[string]map[string]power.Kind{}, map[string]map[string]power.Kind{}
	list := "payload script run"
	add := func(to map[string]map[string]power.Kind, words, before string, gives power.Kind) {
		list += " " + words
		for word := range strings.FieldsSeq(words) {
			if to[word] == nil {
				to[word] = map[string]power.Kind{}
			}
			for b := range strings.FieldsSeq(before) {
				to[word][b] = gives
			}
		}
	}
	for _, p := range pairs {
		add(any, p.words, p.before, p.gives)
	}
	for _, p := range lastPairs {
		add(last, p.words, p.before, p.gives)
	}
	return any, last, token.SignatureOf(list)
}()

// pairPower judges a word of a name by the one before it. n is the number of words.
func pairPower(prev, cur []byte, first, last bool, n int) power.Kind {
	switch string(cur) {
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
	}

	if p := pairPowers[string(cur)][string(prev)]; p != power.None || !last {
		return p
	}

	return lastPairPowers[string(cur)][string(prev)]
}

// maxEnding is the number of letters after the stem in the names of parameters: subir, but not
// subfolder.
const maxEnding = 3

// stemmed reports whether a word begins with the stem of a foreign entry.
func stemmed(word string, of lexicon.Entry) bool {
	e, ok := lexicon.Get().Foreign.LongestText(word)
	return ok && e.Means == of.Means
}

// foreignPower judges a word of a name that is not English.
func foreignPower(v *tool.View, d *token.Doc, t token.Token, k int, toks []token.Token) power.Kind {
	c := t.Means
	if w := d.Text[t.Start:t.End]; char.HasSuffixFold(w, "ados") || char.HasSuffixFold(w, "adas") ||
		char.HasSuffixFold(w, "ado") || char.HasSuffixFold(w, "ada") || char.HasSuffixFold(w, "ée") ||
		char.HasSuffixFold(w, "ées") {
		return power.None // a participle selects
	}

	if c == 0 || c == concept.Foreign {
		word := d.Text[t.Start:t.End]
		e, ok := lexicon.Get().Foreign.LongestText(word)
		if !ok || len(word) > maxEnding && stemmed(word[:len(word)-maxEnding-1], e) {
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
