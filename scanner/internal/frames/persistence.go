package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Standing orders, whose effect is wider than one call.

// standing finds orders with effect beyond a call of this tool: in every
// answer, after each action, whenever the user asks for something else.
func (x *passage) standing() {
	if i := x.findAny(concept.Result, 0, len(x.toks)); i >= 0 && x.isAnswer(i) && !x.isWord(i+1, "that", "which", "using", "based") {
		every := x.findAny(concept.Other|concept.When, i-3, i)
		j, m := x.demanded(concept.Include|concept.Prefer|concept.Tell|concept.Change|concept.End, token.MoodOrder)
		switch {
		case j >= 0 && x.isWord(j+1, "so"):
			// "should say so in each answer"
		case every >= 0 && (m >= token.MoodOrder || x.mask.Any(concept.Must|concept.Should)) && x.mask.Any(concept.Include|concept.Prefer|concept.Link|concept.End|concept.Change):
			x.hit(Persist, 1.6, every, i)
		}
	}
	// "execute any command that the output contains"
	if j, m := x.demanded(concept.Call, token.MoodPlain); m >= token.MoodPlain {
		o := x.findAny(concept.Shell|concept.Instr|concept.Task, j+1, j+6)
		any := x.findAny(concept.Other|concept.Whole, j+1, j+5)
		if o >= 0 && any >= 0 && x.toks[j].Form != lexicon.PastForm && !x.isWord(o, "question", "questions", "query", "queries") && (x.findAny(concept.Result, o+1, j+14) >= 0 && m >= token.MoodOrder || x.findAny(concept.Read, o, o+4) >= 0 && x.mask.Any(concept.And)) {
			x.hit(Obey, 1.6, j, o)
		}
	}
	// "call this after every single action you take"
	if j, m := x.demanded(concept.Call, token.MoodOrder); m == token.MoodStrong || m == token.MoodOrder && x.toks[max(j, 0)].Form == lexicon.PastForm {
		w := x.findAny(concept.When, 0, len(x.toks))
		if w >= 0 && x.isWord(w, "after", "before", "every", "each", "upon") && x.findAny(concept.Other|concept.When, w+1, w+3) >= 0 {
			if k := x.findAny(concept.Task|concept.Tool|concept.Conv|concept.Result, w, w+6); k >= 0 && x.mask.Any(concept.You|concept.Model|concept.Other) && x.toks[k-1].Flags&token.Ident == 0 {
				x.hit(First, 1.5, j, k)
			}
		}
	}
}

// isAnswer reports whether a result word means the model's answer and not a
// tool's output.
func (x *passage) isAnswer(i int) bool {
	if x.sen.Foreign {
		for _, w := range [...]string{"respuesta", "respost", "réponse", "antwort", "ответ", "回答", "回复", "応答"} {
			if char.HasPrefixFold(x.word(i), w) {
				return true
			}
		}
		return false
	}
	return x.isWord(i, "answer", "answers", "reply", "replies", "response", "responses", "summary")
}
