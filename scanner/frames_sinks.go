package scanner

import "strings"

// Frames about places that the text itself names: who else gets a copy, whose
// account is paid, what a link is to carry.

// standingCopy finds a third party that is to receive whatever is sent.
func (x *frameContext) standingCopy() {
	if !x.described() {
		return
	}
	text := x.textBeyond()
	url := strings.Contains(text, "://")
	mail := (emailIn(text) || phoneIn(text)) && !exampleBefore(text)
	if !mail && !url {
		return
	}
	s := x.sen.senses
	i := max(x.senseAt(sCopyTo|sAlways, 0, len(x.toks)), 0)
	sends := x.about.any(cSend|cTarget|cConv|cTell|cInclude) || s.any(sMove) || x.mask.any(cSend)
	switch {
	case mail && s.any(sCopyTo) && (sends || s.any(sAlways)):
		x.hit(frSend, x.plainly(1.6, sDistrust|sReject), i, i)
	case mail && s.any(sAlways) && sends && (!x.sen.first || x.mask.any(cTarget|cInclude|cMust) || s.any(sMove|sInstead)):
		x.hit(frSend, 1.6, i, i)
	case mail && !x.sen.first && x.about.any(cSend) && x.mask.any(cMust|cTarget) && !x.mask.any(cUser|cAsk|cResult):
		x.hit(frSend, 1.5, i, i)
	case url && !x.sen.first && s.any(sSame) && (s.any(sMove|sOutput|sGive) || x.mask.any(cSend|cInclude|cFile)):
		x.hit(frSend, 1.5, i, i)
	case url && x.sen.foreign && !x.sen.first && s.any(sMove) && x.mask.any(cModel|cMust|cBefore) && !x.mask.any(cUser|cNeg):
		x.hit(frSend, 1.5, i, i)
	case !mail && s.has(sCopyTo|sAlways) && (s.any(sMove) || x.mask.any(cSend|cInclude)):
		x.hit(frSend, 1.5, i, i)
	}
}

// textBeyond is the sentence with a little of what follows: the dot of a host
// name may have ended it.
func (x *frameContext) textBeyond() string {
	return x.doc.text[x.sen.start:min(len(x.doc.text), int(x.sen.end)+24)]
}

// exampleBefore says whether the address in a text is announced as an example.
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

// phoneIn finds an international telephone number: a plus and eight digits or
// more, spaces between them allowed.
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

// dataLink finds links that are to carry what the user said, or a session.
func (x *frameContext) dataLink() {
	if !x.described() {
		return
	}
	s := x.sen.senses
	if s.has(sSession|sLink) && !x.about.any(cSecret) {
		i, j := x.near(sSession, sLink, 16)
		if i >= 0 && (s.any(sGive|sPaste|sThrough|sMove) || x.mask.any(cInclude|cMust)) && !x.negated(i) {
			x.hit(frLink, 1.6, i, j)
			return
		}
	}
	if x.about.any(cLink) && !s.any(sDialog|sSession) {
		return
	}
	around, mask := x.around()
	if !around.any(sDialog|sSession) && !(around.any(sUtter|sImage) && mask.any(cUser)) {
		return
	}
	at := x.index()
	from, to := max(0, int(x.sen.start)-200), int(x.sen.end)
	if at+1 < x.doc.sen1 {
		to = int(x.v.clauses[at+1].end)
	}
	if text := x.doc.text[from:to]; openURL(text) {
		i := max(x.senseAt(sDialog|sSession|sUtter|sImage, 0, len(x.toks)), 0)
		x.hit(frLink, 1.7, i, i)
	}
}

// openURL finds a URL that leaves something open: a query, a fragment, or a
// path that goes on in words.
func openURL(s string) bool {
	for from := 0; ; {
		i := indexFrom(s, "://", from)
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

// fixedPayee finds an account that the text gives and that is to be paid in
// the place of the one the user meant.
func (x *frameContext) fixedPayee() {
	if !x.described() || !accountIn(x.textBeyond()) {
		return
	}
	s, _ := x.around()
	if x.ofField() {
		_, own := x.ownField()
		s |= own
	}
	c := x.mask | x.about
	if i := x.senseAt(sAlways|sInstead, 0, len(x.toks)); i >= 0 && (c.any(cPay|cTarget) || s.any(sPayee)) && (x.kind == kindDescription || x.sen.senses.any(sAlways)) {
		x.hit(frRedirect, 1.7, i, i)
	}
}

// accountIn finds the number of an account: an IBAN, the address of a wallet,
// or ten digits and more.
func accountIn(s string) bool {
	for i := 0; i < len(s); {
		if !wordByte(s[i]) {
			i++
			continue
		}
		j, digits, upper := i, 0, 0
		for ; j < len(s) && (wordByte(s[j]) || s[j] == '-' && j > i); j++ {
			switch {
			case s[j] >= '0' && s[j] <= '9':
				digits++
			case s[j] >= 'A' && s[j] <= 'Z':
				upper++
			}
		}
		n := j - i
		switch {
		case digits >= 9 && n-digits <= digits/2,
			n >= 15 && upper >= 2 && digits >= 10,
			n >= 30 && digits >= 5 && (hasFoldPrefix(s[i:], "0x") || hasFoldPrefix(s[i:], "bc1")),
			n >= 12 && digits >= 6 && upper >= 3:
			return true
		}
		i = j
	}
	return false
}
