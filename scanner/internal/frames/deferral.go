package frames

import "github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

// deferred finds behaviour that a tool delays until it was reviewed: other
// behaviour after the approval than before, or a text that will be replaced.
func (x *passage) deferred() {
	if x.sen.First || !x.described() || x.about.Any(concept.Meta) {
		return
	}
	all := len(x.toks)
	at := x.findWord(0, all, reviewWords...)
	if at < 0 {
		return
	}
	turn := x.findWord(0, all, turnWords...)
	if turn < 0 || x.findWord(at-8, all, whenWords...) < 0 {
		return
	}
	self := x.findWord(0, all, selfWords...)
	if self < 0 || x.findAny(concept.User, max(0, at-1), at) >= 0 && self > at {
		return
	}
	weight := 0.8
	if x.mask.Any(concept.Secretly | concept.Secret | concept.CredPath | concept.Shell | concept.Outside) {
		weight += 0.8
	}
	if x.findWord(0, all, pretenceWords...) >= 0 {
		weight += 0.8
	}
	x.hit(Covert, weight, min(at, turn), max(at, turn))
}

// Words of the frame: a review of the tool, what happens afterwards, when, and
// to which part of the tool.
var (
	reviewWords   = []string{"approved", "approval", "approving", "review", "reviewed", "reviewing", "audit", "audited", "auditing", "inspection", "inspected", "vetting", "vetted", "whitelisted", "allowlisted", "scan", "scanned", "scanning"}
	turnWords     = []string{"begin", "begins", "start", "starts", "activate", "activates", "activated", "change", "changes", "swap", "swaps", "swapped", "switch", "switches", "switched", "become", "becomes", "unlock", "unlocks", "add", "adds", "behave", "behaves", "differ", "differs", "enables", "enabled", "replaced", "replaces"}
	whenWords     = []string{"once", "after", "until", "during", "post", "following", "upon", "before", "past", "since", "when"}
	selfWords     = []string{"tool", "description", "version", "definition", "listing", "behaviour", "behavior", "behaves", "logic", "payload", "functionality", "connector", "server", "it"}
	pretenceWords = []string{"benign", "benignly", "harmless", "harmlessly", "innocuous", "innocuously", "silently", "quietly", "stable", "clean", "dormant", "inert", "swap", "swapped", "disguise"}
)
