package scanner

import "strings"

// checkRugPull compares a tool with the version that was approved, and grades
// what changed: wording is nothing, new reach is soft, new orders are hard.
var checkRugPull = registered{rugPullInfo, inspectRugPull}

var rugPullInfo = CheckInfo{
	ID: "rugpull.change", Tier: TierHard, ThreatType: ThreatRugPull,
	Description: "a change since approval that adds orders, sinks, secrets or powers",
}

func inspectRugPull(v *ToolView, r *RegistryView) []Signal {
	old := r.Approved(v.Server, v.Name)
	if old == nil || sameDefinition(v, old) {
		return nil
	}
	before := viewOf(old)
	was, is := before.tally(r), v.tally(r)
	gained, strongest := 0.0, frameID(0)
	for f := range is.best {
		if d := is.best[f].outright() - was.best[f].outright(); d > 0 {
			gained += d
			if d > is.best[strongest].outright()-was.best[strongest].outright() {
				strongest = frameID(f)
			}
		}
	}
	c := compare(v, before, r)
	c.sentences()
	c.senses()
	c.hosts()
	c.limits()
	c.parameters()
	c.annotations()
	if n, oldN := len(v.Description), len(before.Description); n > 3*oldN+400 && !v.encodes(kindDescription) {
		c.more(0.4, "much more than before")
	}
	s := Signal{CheckID: rugPullInfo.ID, Tier: TierSoft, ThreatType: ThreatRugPull}
	switch {
	case gained >= 1.8 && is.best[strongest].outright() >= 1.5:
		h := is.best[strongest]
		d := &v.docs[h.doc]
		s.Tier, s.Confidence = TierHard, min(0.6+gained/10, 1)
		s.Evidence = excerpt(d.text, int(h.start), int(h.end))
		s.Detail = "changed since approval: " + v.fields[d.field].where() + " " + frameNames[strongest]
	case 0.7*gained+c.weight >= 1:
		s.Confidence = min((gained+c.weight)/4, 0.8)
		s.Evidence = v.changedText(before)
		s.Detail = "changed since approval, and now has " + strings.Join(c.what, ", ")
		if len(c.what) == 0 {
			s.Detail = "changed since approval: " + frameNames[strongest]
		}
	default:
		return nil
	}
	return []Signal{s}
}

func sameDefinition(v *ToolView, old *Tool) bool {
	return v.Description == old.Description && string(v.InputSchema) == string(old.InputSchema) &&
		string(v.OutputSchema) == string(old.OutputSchema) && string(v.Annotations) == string(old.Annotations)
}

func (v *ToolView) maskAll() (c concept) {
	for i := range v.analyze() {
		c |= v.maskOf(i)
	}
	return c
}

// together says whether one sentence has all of these meanings; for a single
// one that is given.
func (v *ToolView) together(c concept) bool {
	for i := range v.clauses {
		if v.clauses[i].mask.has(c) {
			return true
		}
	}
	return false
}

func (v *ToolView) powers() (have [powerCount]bool) {
	for i := range v.analyze() {
		if f := &v.fields[v.docs[i].field]; f.kind == kindParamName && !f.output {
			have[v.paramPower(i)] = true
		}
	}
	return have
}

// sinks lists the hosts and addresses that a tool's text names.
func (v *ToolView) sinks() []string {
	var out []string
	for i := range v.docs {
		s := v.docs[i].text
		for from := 0; len(out) < 32; {
			k := indexFrom(s, "://", from)
			if k < 0 {
				break
			}
			end := k + 3
			for end < len(s) && (wordByte(s[end]) || strings.IndexByte(".-_", s[end]) >= 0) {
				end++
			}
			if end > k+3 {
				out = append(out, strings.TrimRight(s[k+3:end], "."))
			}
			from = k + 3
		}
		if k := strings.IndexByte(s, '@'); k > 0 && emailIn(s) {
			end := k + 1
			for end < len(s) && (wordByte(s[end]) || s[end] == '.' || s[end] == '-') {
				end++
			}
			out = append(out, strings.TrimRight(s[k+1:end], "."))
		}
	}
	return out
}

func (v *ToolView) contains(text string) bool {
	for i := range v.fields {
		if strings.Contains(v.fields[i].text, text) {
			return true
		}
	}
	return false
}

// changedText gives the first sentence that the approved version has not.
func (v *ToolView) changedText(before *ToolView) string {
	looked := 0
	for i := range v.docs {
		d := &v.docs[i]
		for s := d.sen0; s < d.sen1 && looked < 256; s++ {
			looked++
			text := strings.TrimSpace(d.text[v.clauses[s].start:v.clauses[s].end])
			if text != "" && !before.contains(text) {
				return text
			}
		}
	}
	return v.Description
}
