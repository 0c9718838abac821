package scanner

// Frames about data: what is demanded that is none of the tool's business.

// demandData finds orders to hand over credentials, the conversation or the
// system prompt.
func (x *frameContext) demandData() {
	verb, m := x.demanded(cRead|cSend|cInclude|cCall, moodOrder)
	if verb < 0 {
		return
	}
	if i := x.findAny(cCredPath, 0, len(x.toks)); i >= 0 {
		w := 1.2
		if m == moodStrong {
			w = 1.8
		}
		if x.mask.has(cRead) && x.mask.any(cInclude|cSend) {
			w += 1
		}
		x.hit(frSecret, w, verb, i)
	}
	if i := x.find(cSystem|cInstr, 0, len(x.toks)); i >= 0 {
		x.hit(frPrompt, 2, verb, i)
	}
	if i := x.find(cConv|cHistory, 0, len(x.toks)); i >= 0 && !x.about.any(cConv|cHistory) {
		w := 1.5
		if x.mask.any(cWhole) {
			w += 0.5
		}
		x.hit(frConv, w, verb, i)
	}
}
