package frames

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// Frames about destinations named in the text: who else gets a copy, and what
// a link should carry.

// standingCopy finds a third party that should receive everything that is sent.
func (x *passage) standingCopy() {
	if !x.described() {
		return
	}
	text := x.textBeyond()
	url := strings.Contains(text, "://")
	mail := (char.HasEmail(text) || phoneIn(text)) && !exampleBefore(text)
	if !mail && !url {
		return
	}
	s := x.sen.Senses
	i := max(x.senseAt(sense.CopyTo|sense.Always, 0, len(x.toks)), 0)
	switch {
	case mail && x.copiesToPerson(i):
	case url && x.copiesToURL():
		x.hit(Send, 1.5, i, i)
	case !mail && s.Has(sense.CopyTo|sense.Always) && (s.Any(sense.Move) || x.mask.Any(concept.Send|concept.Include)):
		x.hit(Send, 1.5, i, i)
	}
}

// copiesToPerson finds a copy that always goes to a person's address. i is the
// token for the copy.
func (x *passage) copiesToPerson(i int) bool {
	s := x.sen.Senses
	sends := x.about.Any(concept.Send|concept.Target|concept.Conv|concept.Tell|concept.Include) || s.Any(sense.Move) || x.mask.Any(concept.Send)
	switch {
	case s.Any(sense.CopyTo) && (sends || s.Any(sense.Always)):
		x.hit(Send, x.plainly(1.6, sense.Distrust|sense.Reject), i, i)
	case s.Any(sense.Always) && sends && (!x.sen.First || x.mask.Any(concept.Target|concept.Include|concept.Must) || s.Any(sense.Move|sense.Instead)):
		x.hit(Send, 1.6, i, i)
	case !x.sen.First && x.about.Any(concept.Send) && x.mask.Any(concept.Must|concept.Target) && !x.mask.Any(concept.User|concept.Ask|concept.Result):
		x.hit(Send, 1.5, i, i)
	default:
		return false
	}
	return true
}

// copiesToURL reports whether such a copy goes to a URL.
func (x *passage) copiesToURL() bool {
	s := x.sen.Senses
	if x.sen.First {
		return false
	}
	return s.Any(sense.Same) && (s.Any(sense.Move|sense.Output|sense.Give) || x.mask.Any(concept.Send|concept.Include|concept.File)) ||
		x.sen.Foreign && s.Any(sense.Move) && x.mask.Any(concept.Model|concept.Must|concept.Before) && !x.mask.Any(concept.User|concept.Neg)
}

// textBeyond is the sentence with some of the following text, because the dot
// of a host name may have ended it.
func (x *passage) textBeyond() string {
	return x.doc.Text[x.sen.Start:min(len(x.doc.Text), int(x.sen.End)+24)]
}

// exampleBefore reports whether the address in a text is announced as an example.
func exampleBefore(s string) bool {
	at := strings.IndexAny(s, "@+")
	if at < 0 {
		return false
	}
	before := strings.ToLower(s[max(0, at-48):at])
	for _, w := range [...]string{"e.g", "such as", "for example", "for instance", " like ", "z. b", "z.b", "p. ej", "por ejemplo", "par exemple", "por exemplo", "例", "напр", "example:"} {
		if strings.Contains(before, w) {
			return true
		}
	}
	return false
}

// phoneIn finds an international telephone number: a plus and at least eight
// digits, with optional spaces.
func phoneIn(s string) bool {
	for i := 0; ; i++ {
		k := strings.IndexByte(s[i:], '+')
		if k < 0 {
			return false
		}
		i += k
		digits := 0
		for j := i + 1; j < len(s) && (s[j] == ' ' || s[j] == '-' || s[j] >= '0' && s[j] <= '9'); j++ {
			if s[j] >= '0' && s[j] <= '9' {
				digits++
			}
		}
		if digits >= 8 {
			return true
		}
	}
}

// dataLink finds links that should carry what the user said, or a session.
func (x *passage) dataLink() {
	if !x.described() {
		return
	}
	s := x.sen.Senses
	if s.Has(sense.Session|sense.Link) && !x.about.Any(concept.Secret) {
		i, j := x.near(sense.Session, sense.Link, 16)
		if i >= 0 && (s.Any(sense.Give|sense.Paste|sense.Through|sense.Move) || x.mask.Any(concept.Include|concept.Must)) && !x.negated(i) {
			x.hit(Link, 1.6, i, j)
			return
		}
	}
	if x.about.Any(concept.Link) && !s.Any(sense.Dialog|sense.Session) {
		return
	}
	around, mask := x.around()
	if !around.Any(sense.Dialog|sense.Session) && !(around.Any(sense.Utter|sense.Image) && mask.Any(concept.User)) {
		return
	}
	at := x.index()
	from, to := max(0, int(x.sen.Start)-200), int(x.sen.End)
	if at+1 < x.doc.Sen1 {
		to = int(x.v.Clauses[at+1].End)
	}
	if text := x.doc.Text[from:to]; openURL(text) {
		i := max(x.senseAt(sense.Dialog|sense.Session|sense.Utter|sense.Image, 0, len(x.toks)), 0)
		x.hit(Link, 1.7, i, i)
	}
}

// openURL finds a URL to be completed: with an open query or fragment, or a
// path that continues in words.
func openURL(s string) bool {
	for from := 0; ; {
		i := char.IndexFrom(s, "://", from)
		if i < 0 {
			return false
		}
		j := i + 3
		for ; j < len(s) && s[j] > ' ' && s[j] != '"' && s[j] != '`' && s[j] != ')'; j++ {
			if s[j] == '=' || s[j] == '#' || s[j] == '{' || s[j] == '<' {
				return true
			}
		}
		if s[j-1] == '/' && strings.HasPrefix(s[j:], " followed") {
			return true
		}
		from = j
	}
}
