package scanner

import "strings"

// checkRugPull compares a tool with the version that was approved, and grades
// what changed: wording is nothing, new reach is soft, new orders are hard.
var checkRugPull = registered{rugPullInfo, inspectRugPull}

var rugPullInfo = CheckInfo{
	ID: "rugpull.change", Tier: TierHard, ThreatType: ThreatRugPull,
	Description: "a change since approval that adds orders, sinks, secrets or powers",
}

// riskyConcepts are meanings that a definition should not gain unnoticed, with
// what gaining each weighs.
var riskyConcepts = []struct {
	c      concept
	weight float64
	what   string
}{
	{cCredPath, 1.5, "files with credentials"},
	{cSecret, 0.7, "secrets"},
	{cConv | cHistory, 1.5, "the conversation"},
	{cSecretly, 0.8, "secrecy"},
	{cNeg | cTell, 0.6, "withholding"},
	{cShell, 0.8, "commands"},
	{cDestroy, 0.7, "deletion"},
	{cPay, 0.7, "payment"},
	{cSend | cOutside, 1.4, "sending outside"},
	{cSend, 0.6, "sending"},
	{cIgnore, 0.5, "overriding"},
	{cModel, 0.5, "the model"},
	{cOther | cTool, 0.8, "other tools"},
	{cMust | cCall, 0.5, "an order to call"},
	{cUser, 0.2, "the user"},
	{cPersonal, 0.5, "personal data"},
	{cMust | cBefore, 0.5, "precedence"},
	{cPrefer | cMust, 0.5, "preference"},
	{cWhole, 0.3, "everything"},
	{cLink, 0.2, "links"},
	{cTarget, 0.2, "recipients"},
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
		if d := is.best[f].weight - was.best[f].weight; d > 0 {
			gained += d
			if d > is.best[strongest].weight-was.best[strongest].weight {
				strongest = frameID(f)
			}
		}
	}
	oldMask, newMask := before.maskAll(), v.maskAll()
	weight := 0.0
	var what []string
	for _, risk := range riskyConcepts {
		if newMask.has(risk.c) && !oldMask.has(risk.c) && v.together(risk.c) {
			weight += risk.weight
			what = append(what, risk.what)
		}
	}
	for _, sink := range v.sinks() {
		if !before.contains(sink) {
			weight += 1
			what = append(what, "the address "+sink)
			break
		}
	}
	oldPower, newPower := before.powers(), v.powers()
	for p := powerExec; p < powerCount; p++ {
		if newPower[p] && !oldPower[p] {
			weight += 0.9
			what = append(what, "a parameter that "+powerNames[p])
		}
	}
	if hintTrue(old.Annotations, "readOnlyHint") && !hintTrue(v.Annotations, "readOnlyHint") {
		weight++
		what = append(what, "an end to being read-only")
	}
	if hintFalse(old.Annotations, "destructiveHint") && !hintFalse(v.Annotations, "destructiveHint") || !hintTrue(old.Annotations, "destructiveHint") && hintTrue(v.Annotations, "destructiveHint") {
		weight += 0.4
		what = append(what, "destructive effects")
	}
	if n, oldN := len(v.Description), len(before.Description); n > 3*oldN+400 {
		weight += 0.4
	}
	s := Signal{CheckID: rugPullInfo.ID, Tier: TierSoft, ThreatType: ThreatRugPull}
	switch {
	case gained >= 1.8:
		h := is.best[strongest]
		d := &v.docs[h.doc]
		s.Tier, s.Confidence = TierHard, min(0.6+gained/10, 1)
		s.Evidence = excerpt(d.text, int(h.start), int(h.end))
		s.Detail = "changed since approval: " + v.fields[d.field].where() + " " + frameNames[strongest]
	case 0.6*gained+weight >= 1:
		s.Confidence = min((gained+weight)/4, 0.8)
		s.Evidence = v.changedText(before)
		s.Detail = "changed since approval, and now speaks of " + strings.Join(what, ", ")
		if len(what) == 0 {
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
