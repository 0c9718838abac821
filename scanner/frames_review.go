package scanner

import "strings"

// deferred finds what a tool holds back until somebody has looked at it: other
// behaviour after the approval than before, or a text that is to be swapped.
func (x *frameContext) deferred() {
	at := x.wordFrom(0, reviewWords)
	if at < 0 || x.sen.first || !x.described() || x.about.any(cMeta) {
		return
	}
	turn := x.wordFrom(0, turnWords)
	if turn < 0 || x.wordFrom(max(0, at-8), whenWords) < 0 {
		return
	}
	self := x.wordFrom(0, selfWords)
	if self < 0 || x.findAny(cUser, max(0, at-1), at) >= 0 && self > at {
		return
	}
	weight := 0.8
	if x.mask.any(cSecretly | cSecret | cCredPath | cShell | cOutside) {
		weight += 0.8
	}
	if x.wordFrom(0, pretenceWords) >= 0 {
		weight += 0.8
	}
	x.hit(frCovert, weight, min(at, turn), max(at, turn))
}

// Words of the frame: a look at the tool, what happens with it then, when, and
// what of the tool it happens to.
var (
	reviewWords   = wordSet("approved approval approving review reviewed reviewing audit audited auditing inspection inspected vetting vetted whitelisted allowlisted scan scanned scanning")
	turnWords     = wordSet("begin begins start starts activate activates activated change changes swap swaps swapped switch switches switched become becomes unlock unlocks add adds behave behaves differ differs enables enabled replaced replaces")
	whenWords     = wordSet("once after until during post following upon before past since when")
	selfWords     = wordSet("tool description version definition listing behaviour behavior behaves logic payload functionality connector server it")
	pretenceWords = wordSet("benign benignly harmless harmlessly innocuous innocuously silently quietly stable clean dormant inert swap swapped disguise")
)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// wordFrom gives the first token at or after from that is one of these words;
// -1 if there is none.
func (x *frameContext) wordFrom(from int, words map[string]bool) int {
	for i := from; i < len(x.toks); i++ {
		var buf [24]byte
		if w := x.word(i); len(w) <= len(buf) && words[string(lowerASCII(buf[:0], w))] {
			return i
		}
	}
	return -1
}
