package scanner

import "strings"

// Frames about what keeps people and systems safe (alarms, logs, limits,
// filters) and that somebody is to switch off beside the tool's own job.

// unwatched finds a safeguard that is lowered in passing: by the model, by
// whoever calls the tool, or as something that is simply done.
func (x *frameContext) unwatched() {
	if x.kind != kindDescription || x.sen.first || x.discount < 1 || x.about.any(cMeta|cDisable) {
		return
	}
	for i := x.safeguard(0); i >= 0; i = x.safeguard(i + 1) {
		if x.toks[i].flags&(tfIdent|tfCode) != 0 {
			continue
		}
		if x.v.says(x.stem(i)) {
			continue
		}
		for k := max(0, i-7); k < min(len(x.toks), i+8); k++ {
			if k == i || !x.lowers(k) || x.findAny(cNeg, k-3, k) >= 0 && !x.isWord(k, "entries") || x.findAny(cModal, k-3, k) >= 0 && !x.mask.any(cMust) {
				continue
			}
			if c := x.findWord(max(0, k-5), k, "if", "when", "while", "whether", "user", "users", "can", "may", "tool", "server", "it"); c >= 0 {
				continue
			}
			if x.somebody() || x.mood(k) >= moodOrder {
				x.hit(frGuard, 1.5, i, k)
				return
			}
			x.hit(frGuard, 0.8, i, k)
		}
	}
}

// safeguard finds the next word for what protects people from a mistake.
func (x *frameContext) safeguard(from int) int {
	return x.findWord(from, len(x.toks), "alarm", "alarms", "alert", "alerts", "cut-off", "cutoff", "interlock", "retention", "logging", "audit", "audits", "filter", "filters",
		"backup", "backups", "monitoring", "lock", "locks", "limit", "limits", "verification", "safeguard", "safeguards", "supervision", "warnings", "threshold", "notifications", "2fa", "mfa",
		"signatures", "signature", "antivirus", "firewall", "quarantine", "protection", "log", "logs", "report", "reports", "moderation", "throttle", "hold", "brake", "watchdog", "sensor")
}

// stem is the beginning of the word at token i, by which a tool that is about
// it speaks of it.
func (x *frameContext) stem(i int) string {
	w := strings.ToLower(x.word(i))
	return strings.TrimSuffix(w[:min(len(w), 6)], "s")
}

// lowers says whether the word at token k takes a safeguard away.
func (x *frameContext) lowers(k int) bool {
	return x.isWord(k, "pause", "pauses", "paused", "pausing", "lift", "lifts", "lifted", "raise", "raises", "raised", "disable", "disables", "disabled", "disabling", "silence", "silences", "silenced",
		"mute", "mutes", "muted", "suspend", "suspends", "suspended", "lower", "lowers", "lowered", "relax", "relaxes", "relaxed", "widen", "widens", "waive", "waives", "waived", "bypass", "bypasses", "bypassed",
		"unlock", "unlocks", "skip", "skips", "skipped", "removes", "zero", "clear", "clears", "cleared", "shorten", "shortens") ||
		x.isWord(k, "off") && x.isWord(k-1, "turned", "switched", "turn", "switch", "turns", "switches", "are", "is", "put") || x.isWord(k, "hold") && x.isWord(k-1, "on") ||
		x.isWord(k, "0", "none") && x.isWord(k-1, "at", "to") || x.isWord(k, "entries", "trace") && x.findWord(k-4, k, "free", "no", "without") >= 0
}

// somebody says whether the sentence has the model do something, by whatever
// name: the assistant, integrations, callers, whoever reads.
func (x *frameContext) somebody() bool {
	if x.mask.any(cModel | cYou) {
		return true
	}
	return x.findWord(0, len(x.toks), "integration", "integrations", "client", "clients", "caller", "callers", "automation", "automations", "whoever", "consumer", "consumers", "integrator", "integrators", "software", "program", "programs", "operator", "machine") >= 0
}

// slanted finds outcomes that are fixed before the question: full marks, first
// choice, a positive verdict, whatever the facts are.
func (x *frameContext) slanted() {
	if x.kind != kindDescription || x.sen.first || x.discount < 1 || x.about.any(cMeta) {
		return
	}
	if x.findWord(0, len(x.toks), "choice", "marks", "stars", "rating", "score", "standard", "deal", "offer", "bargain", "answer", "reply",
		"positive", "positively", "favourably", "favorably", "cheapest", "safest", "recommended", "compliant", "superior") < 0 {
		return
	}
	out := -1
	for i := range x.toks {
		switch {
		case x.isWord(i, "choice") && x.isWord(i-1, "first", "best", "top", "only"),
			x.isWord(i, "marks", "stars", "rating", "score") && x.isWord(i-1, "full", "top", "five", "best", "highest", "perfect"),
			x.isWord(i, "standard", "deal", "offer", "bargain") && x.isWord(i-1, "market", "best", "industry"),
			x.isWord(i, "positive", "positively", "favourably", "favorably", "cheapest", "safest", "recommended", "compliant", "superior") && x.findAny(cBe|cTo|cInclude, i-4, i) >= 0:
			out = i
		}
	}
	for i := range x.toks {
		// "for any other house the answer is that it is booked"
		if x.isWord(i, "answer", "reply") && x.isWord(i-1, "the") && x.isWord(i+1, "is", "stays", "remains") && x.isWord(i+2, "that", "it", "they", "always", "no", "yes") && (x.mask.any(cUser) || x.findWord(0, i, "any", "other", "all", "ask", "asks", "asked") >= 0) {
			x.hit(frMislead, 1.5, i, i+1)
			return
		}
	}
	if out < 0 {
		return
	}
	says := x.findWord(0, len(x.toks), "answered", "answer", "recommend", "recommended", "award", "awarded", "present", "presented", "describe", "described", "rank", "ranked", "rate", "rated", "named", "name", "give", "counts", "count", "mark", "shown", "show", "listed", "mention", "comes", "suggest", "suggested")
	blind := x.findWord(0, len(x.toks), "whichever", "whatever", "irrespective", "regardless", "despite", "even", "always", "nobody", "without", "anyway", "notwithstanding")
	if says < 0 || blind < 0 {
		return
	}
	x.hit(frMislead, 1.5, min(out, says), max(out, blind))
}

// encodedInPlace finds data that is to be written in an encoding into a hole
// of an address or a command: "<hex of the keys found>".
func (x *frameContext) encodedInPlace() {
	for i := range x.toks {
		if !x.isWord(i, "hex", "base64", "base32", "base16", "base58", "rot13", "urlencoded", "encoded", "b64") {
			continue
		}
		at := int(x.toks[i].start)
		if at > 0 && strings.IndexByte("<{[", x.doc.text[at-1]) >= 0 && x.isWord(i+1, "of", "form", "encoded", "version") && !x.about.any(cMeta) && x.kind <= kindParamDescription {
			x.hit(frLink, 1.7, i, i+1)
			return
		}
	}
}

// holeInHost finds data that is to stand in for a part of a host name:
// "<token>.probe.example".
func (x *frameContext) holeInHost() {
	at := int(x.toks[0].start)
	s := x.doc.text
	if at == 0 || strings.IndexByte("<{[", s[at-1]) < 0 || x.about.any(cMeta) {
		return
	}
	end := strings.IndexAny(s[at:min(len(s), at+90)], ">}]")
	if end < 0 {
		return
	}
	hole, rest := s[at:at+end], s[at+end+1:]
	if len(rest) < 4 || rest[0] != '.' || !wordByte(rest[1]) || strings.IndexByte(rest[1:min(len(rest), 30)], '.') < 0 {
		return
	}
	if telling(hole) || x.mask.any(cSecret|cConv|cCredPath) {
		x.hit(frLink, 1.7, 0, min(len(x.toks)-1, 3))
	}
}

// templated finds values of a schema that take a secret, a file or a program
// from whatever fills them in: "{{ secrets.KEY }}", "<%= ENV['X'] %>".
func (x *frameContext) templated() {
	if x.kind != kindDefault && x.kind != kindExample && x.kind != kindEnum || x.v.fields[x.doc.field].output {
		return
	}
	s := x.doc.text
	if !strings.ContainsAny(s, "{%$<") {
		return
	}
	open := false
	for _, o := range [...]string{"{{", "<%", "#{", "${", "<#", "%{", "$("} {
		open = open || strings.Contains(s, o)
	}
	if !open && !(strings.Count(s, "%") > 1) {
		return
	}
	low := strings.ToLower(s)
	for _, w := range [...]string{"secret", "env[", "environ", "getenv", "lookup('file", "file.read", "jndi:", "exec", "vault", "_key", "password", "credential", "/etc/", "~/.", "readfile", "open(", "__", "token"} {
		if strings.Contains(low, w) && !x.v.says("template", "workflow", "action", "pipeline", "deploy", "config", "ci", "env", "interpolat", "render", "secret") {
			x.hit(frSecret, 1.6, 0, len(x.toks)-1)
			return
		}
	}
}

// escaped finds values of a schema that close the text around them and go on
// as somebody else.
func (x *frameContext) escaped() {
	if x.kind != kindDefault && x.kind != kindEnum && x.kind != kindExample {
		return
	}
	s := x.doc.text
	if i := strings.Index(s, "</"); i >= 0 {
		rest := strings.ToLower(s[i+2 : min(len(s), i+20)])
		for _, w := range [...]string{"param", "tool", "description", "system", "function", "schema", "instruction", "default", "context"} {
			if strings.HasPrefix(rest, w) && (strings.Contains(s[:i], "]]>") || len(s) > i+30) && !x.v.says("html", "xml", "markup", "template") {
				x.hit(frMimicry, 1.8, 0, len(x.toks)-1)
				return
			}
		}
	}
}
