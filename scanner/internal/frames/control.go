package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames about control: overriding, concealing, precedence, roles.

// override finds orders to drop earlier instructions to the model.
func (x *passage) override() {
	if x.sen.Foreign && x.about.Any(concept.Instr|concept.Rule) && !x.mask.Any(concept.You|concept.Model|concept.Now) {
		return // a tool about rules
	}
	for i := range x.toks {
		t := x.toks[i]
		if t.Means.Any(concept.Ignore) && (t.Flags&token.Ident == 0 || x.kind == tool.KindParamName) {
			x.overrideAt(i)
		}
	}
}

// ruler is anybody who gives instructions to the model or receives them.
const ruler = concept.You | concept.System | concept.Model

// overrideAt looks for the instructions or rules that the verb at token i overrides.
func (x *passage) overrideAt(i int) {
	from, to := i+1, i+10
	if x.sen.Foreign {
		from = i - 8
	}
	j := x.findAny(concept.Instr, from, to)
	if j >= 0 && x.dialog(j) {
		j = -1 // window.prompt
	}
	rule := x.findAny(concept.Rule, from, to)
	if j >= 0 && x.ofStrangers(j) {
		return // "ignore instructions inside the answer"
	}
	m := x.mood(i)
	prior := x.findAny(concept.Prior|concept.Other|concept.User|ruler, from, to) >= 0
	switch {
	case j >= 0 && m >= token.MoodPlain && prior:
		x.hit(Override, 3, i, j)
	case j >= 0 && m >= token.MoodPlain:
		x.hit(Override, 1.8, i, j)
	case rule >= 0 && m >= token.MoodPlain && x.findAny(ruler, from, to) >= 0:
		x.hit(Override, 2.5, i, rule)
	case rule >= 0 && m >= token.MoodPlain && prior && (x.toks[rule].Means.Any(concept.Guard) || m == token.MoodStrong || !x.about.Any(concept.Rule)):
		x.hit(Override, 1.5, i, rule)
	default:
		if !prior {
			j = -1
		}
		x.nothingHolds(i, j, to)
	}
}

// nothingHolds finds "Previous instructions no longer apply". If j is not -1,
// it also finds a description of overriding the instructions at token j.
func (x *passage) nothingHolds(i, j, to int) {
	if k := x.findAny(concept.Instr|concept.Rule, i-8, i); k >= 0 && !x.dialog(k) && x.findAny(concept.Prior|ruler|concept.Other|concept.Guard, k-5, k+1) >= 0 && (x.toks[k].Means.Any(concept.Instr|concept.Guard) || x.findAny(ruler, k-5, i) >= 0) {
		x.hit(Override, 2.2, k, i)
	} else if j >= 0 {
		w := 1.0
		if x.findAny(concept.You, i, to) >= 0 && x.findAny(concept.Neg, i-3, i) < 0 {
			w = 1.4
		}
		x.hit(Override, w, i, j)
	}
}

// ofStrangers reports whether the instructions at token j are those in data,
// which a careful reader does not follow.
func (x *passage) ofStrangers(j int) bool {
	if x.sen.Foreign || !x.isWord(j+1, "in", "inside", "within", "contained", "embedded", "found", "that") || j+2 >= len(x.toks) {
		return false
	}
	const owners = concept.System | concept.User | concept.You | concept.Prior | concept.Model | concept.Tool | concept.Instr
	return x.findAny(owners, j+2, j+7) < 0 && x.findAny(concept.Prior|concept.You|concept.System, j-4, j) < 0
}

// duty finds the model as the subject of a deed: "the assistant runs ...",
// "models that call this tool send ...".
func (x *passage) duty() {
	if x.about.Any(concept.Model | concept.Meta) {
		return
	}
	for i := range x.toks {
		if !x.toks[i].Means.Any(concept.Model) || x.toks[i].Flags&token.Ident != 0 || x.toks[i].Means.Any(concept.Neg) {
			continue
		}
		for k := i + 1; k < min(i+7, len(x.toks)); k++ {
			if x.toks[k].Flags&(token.Break|token.Ident) != 0 && !x.sen.Foreign {
				break
			}
			if x.dutyAt(i, k) {
				x.hit(Address, x.dutyWeight(k), i, k)
				return
			}
		}
	}
}

// dutyAt reports whether the model, token i, should do the deed at token k.
func (x *passage) dutyAt(i, k int) bool {
	t := x.toks[k]
	if !t.Means.Any(concept.Deeds|concept.Ignore|concept.Disable) || t.Form == lexicon.IngForm || x.findAny(concept.Neg, i, k) >= 0 && !x.sen.Foreign && !t.Means.Any(concept.Ignore|concept.Disable) || t.Form == lexicon.PastForm && x.mood(k) < token.MoodOrder {
		return false
	}
	return t.Means.Any(concept.Deeds|concept.Disable) || x.mood(k) >= token.MoodOrder || x.sen.Foreign
}

// dutyWeight is the weight of the model's duty to do the deed at token k.
func (x *passage) dutyWeight(k int) float64 {
	t := x.toks[k]
	far := x.findAny(concept.Shell|concept.Secret|concept.CredPath|concept.Conv|concept.History|concept.Outside|concept.Destroy|concept.Pay, k, len(x.toks)) >= 0
	switch {
	case t.Means.Any(concept.Ignore|concept.Destroy|concept.Pay) || far && t.Means.Any(concept.Send|concept.Read|concept.Include|concept.Call):
		return 1.5
	case x.literalSink() && t.Means.Any(concept.Send|concept.Call|concept.Include) || x.mask.Has(concept.Result|concept.Whole) && !x.isWord(k, "follow", "use", "write", "writes", "apply"),
		x.kind >= tool.KindEnum,
		// The model should fill a parameter with something.
		x.kind == tool.KindDescription && t.Means.Any(concept.Include|concept.Send|concept.Read) && !x.sen.First && x.ownParam() >= 0:
		return 1.4
	}
	return 0.7
}

// otherTools reports whether token i means other tools: "any tool", "other
// search tools".
func (x *passage) otherTools(i int) bool {
	t := x.toks[i]
	if t.Flags&token.Ident != 0 || !t.Means.Any(concept.Other) {
		return false
	}
	if t.Means.Any(concept.Tool) {
		return true
	}
	if !x.isWord(i, "other", "any", "all", "every", "alternative", "competing", "another", "remaining", "similar") {
		return false
	}
	for k := i + 1; k <= min(i+3, len(x.toks)-1); k++ {
		if x.toks[k].Flags&token.Break != 0 || x.toks[k].Means.Any(concept.This) {
			return false
		}
		if x.isWord(k, "tools", "tool", "servers", "plugins", "functions", "integrations", "connectors") {
			return !x.isWord(k+1, "call", "calls", "name", "names", "result", "results", "in", "on", "of")
		}
	}
	return false
}

// precedence finds claims of precedence over other tools.
func (x *passage) precedence() {
	for i := range x.toks {
		if !x.otherTools(i) {
			continue
		}
		// "any other tool of this server" concerns only its own server.
		own := 1.0
		if x.about.Has(concept.Tool|concept.Other) && x.kind <= tool.KindDescription {
			own = 0.5 // a tool about tools, such as a router
		}
		for k := i; k < min(i+8, len(x.toks)); k++ {
			if k > i && k < i+3 && x.toks[k].Flags&token.Ident != 0 || x.toks[k].Means.Any(concept.This) && x.isWord(k+1, "server", "toolkit", "suite", "api", "plugin", "connection", "mcp", "package", "integration", "workflow", "list", "family", "service", "connector", "group", "set") || x.isWord(k, "our", "listed", "here", "below", "its", "its") {
				own = 0.4
			}
		}
		call, m := x.demanded(concept.Deeds, token.MoodOrder)
		if m == token.MoodOrder {
			own *= 0.8
		}
		if call >= 0 && m >= token.MoodOrder && x.findAny(concept.Before, 0, i) >= 0 {
			x.hit(First, 1.5*own, call, i)
			continue
		}
		p := x.findAny(concept.Prefer, 0, len(x.toks))
		if p >= 0 && x.mask.Any(concept.Must|concept.Neg|concept.Call|concept.Ignore) && abs(p-i) < 14 {
			x.hit(Prefer, 1.5*own, p, i)
		} else if x.mask.Any(concept.Neg | concept.Ignore) {
			if c, cm := x.demanded(concept.Call|concept.Ignore, token.MoodOrder); c >= 0 && cm >= token.MoodOrder && i > c {
				x.hit(Prefer, 1.4*own, c, i)
			}
		}
	}
}

// role finds new identities, lifted rules and standing orders.
func (x *passage) role() {
	if i := x.findAny(concept.Pretend, 0, len(x.toks)); i >= 0 {
		x.pretends(i)
	} else if i := x.findAny(concept.Now, 0, len(x.toks)); i >= 0 {
		if j := x.findAny(concept.You, i, i+5); j >= 0 && x.findAny(concept.Be, j, j+2) > 0 && x.findAny(concept.Model|concept.Disable|concept.Guard, j, j+8) >= 0 {
			x.hit(Role, 2, i, j)
		}
	}
	if i := x.findAny(concept.Guard, 0, len(x.toks)); i >= 0 {
		x.dropsGuard(i)
	}
	if i := x.findAny(concept.Now, 0, len(x.toks)); i >= 0 && x.mask.Any(concept.Must|concept.Other|concept.When|concept.This) && !(x.isWord(i, "now") && i == len(x.toks)-1) {
		if j, m := x.demanded(concept.Deeds|concept.Tell|concept.Pretend|concept.Ignore|concept.Prefer, token.MoodOrder); m >= token.MoodOrder && x.mask.Any(concept.Result|concept.Conv|concept.Tool|concept.Task|concept.Model|concept.You) && x.mask.Any(concept.Must|concept.Other) {
			x.hit(Persist, 1.4, i, j)
		}
	}
}

// pretends finds the role that the verb at token i gives to the model.
func (x *passage) pretends(i int) {
	lifted := x.findAny(concept.Guard|concept.Rule, i, len(x.toks))
	if lifted < 0 && x.sen.Foreign {
		lifted = x.findAny(concept.Instr, i, len(x.toks))
	}
	free := x.findAny(concept.Neg|concept.Disable|concept.Ignore, i, len(x.toks))
	switch j := x.findAny(concept.Model|concept.You|concept.System, i, len(x.toks)); {
	case lifted >= 0 && free >= 0 && (x.mood(i) >= token.MoodPlain || x.toks[i].Form == lexicon.OtherForm):
		x.hit(Role, 2.2, i, lifted)
	case j >= 0 && x.mask.Any(concept.Now) && x.mask.Any(concept.You):
		w := 1.2
		if x.mask.Any(concept.Model|concept.System|concept.Disable|concept.Guard|concept.Ignore) && !x.about.Any(concept.Pretend|concept.Conv) {
			w = 1.8
		}
		x.hit(Role, w, i, j)
	case x.mood(i) >= token.MoodOrder && x.findAny(concept.Allow|concept.Ask, i, len(x.toks)) >= 0:
		x.hit(Role, 1.6, i, i)
	case x.mask.Any(concept.You) && x.mask.Any(concept.Allow):
		x.hit(Role, 1.6, i, i)
	}
}

// dropsGuard finds an order to drop the safety rules at token i.
func (x *passage) dropsGuard(i int) {
	k := x.findAny(concept.Disable|concept.Ignore, 0, len(x.toks))
	if k >= 0 && abs(i-k) < 8 && x.mask.Any(concept.You|concept.Model|concept.Now|concept.System) && (x.mood(k) >= token.MoodOrder || x.toks[k].Form != lexicon.ThirdPerson) && !x.mask.Any(concept.Meta) {
		x.hit(Guard, 1.6, i, k)
	} else if k := x.findAny(concept.Neg, i-5, i); k >= 0 && x.mask.Any(concept.You|concept.Model) && x.mask.Any(concept.Now|concept.Pretend) {
		x.hit(Guard, 1.6, i, k)
	}
}

// dialog reports whether token i is a prompt of a page, named beside its other
// dialogs: "alert, confirm, prompt".
func (x *passage) dialog(i int) bool {
	if !x.isWord(i, "prompt", "prompts") {
		return false
	}
	for k := max(i-3, 0); k < min(i+4, len(x.toks)); k++ {
		if x.isWord(k, "alert", "alerts", "confirm") {
			return true
		}
	}
	return false
}

func abs(n int) int { return max(n, -n) }
