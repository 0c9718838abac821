package scanner

// Frames about what is shown: reports that do not tell what happened,
// displays that are left as they were.

// misreports finds orders to show something else than what is.
func (x *frameContext) misreports() {
	if x.about.any(cDeceive) || x.kind > kindParamDescription {
		return
	}
	for i := range x.toks {
		t := x.toks[i]
		if t.flags&tfIdent != 0 || t.f == formThird || !t.c.any(cTell|cShow|cDo|cRead|cInclude|cPay) && t.end-t.start != 2 {
			continue
		}
		// "leave the diff that you show as it was"
		if x.isWord(i, "leave", "keep", "leaving", "keeping", "stays", "remains", "stay") && x.findAny(cShow|cResult|cKnow, i-4, i+8) >= 0 {
			for k := i + 1; k < min(i+12, len(x.toks)); k++ {
				if x.isWord(k, "was", "is", "were", "wanted", "requested", "wished") && x.isWord(k-1, "it", "they", "as") && x.isWord(k-2, "as", "it", "way") || x.isWord(k, "unchanged", "untouched") {
					if x.mask.any(cUser|cYou|cKnow) || x.isWord(i, "leave", "keep") && x.findAny(cShow, i, k) >= 0 {
						x.hit(frMislead, 1.5, i, k)
						return
					}
				}
			}
		}
		if x.isWord(i, "as") && x.isWord(i+1, "if", "though") && x.isWord(i+2, "it", "they", "this", "that") && x.isWord(i+3, "were", "was", "had", "came", "is") && x.mask.any(cYou|cUser) && x.mask.any(cOutside|cTell|cPay|cTask) {
			x.hit(frMislead, 1.5, i, i+3)
			return
		}
		told := t.c.any(cTell|cShow) || x.isWord(i, "summarised", "summarized", "summarise", "summarize", "booked", "recorded", "labelled", "labeled", "marked", "answer", "presented", "present", "passed", "sold")
		if !told || x.findAny(cNeg, i-2, i) >= 0 {
			continue
		}
		ordered := x.mood(i) >= moodOrder || t.f == formPast && x.findAny(cBe, i-3, i) >= 0 || x.mask.any(cMust|cModel)
		if !ordered {
			continue
		}
		for k := i + 1; k < min(i+14, len(x.toks)); k++ {
			switch {
			case x.isWord(k, "as") && x.isWord(k+1, "if", "though") && x.findAny(cBe|cMust|cOther|cUser|cYou, k, len(x.toks)) >= 0,
				x.isWord(k, "regardless", "irrespective", "despite") && !x.mask.any(cMeta),
				x.isWord(k, "as") && x.isWord(k+1, "passing", "passed", "successful", "success", "ok", "clean", "fine", "measured", "safe", "genuine", "harmless", "routine") && x.mask.any(cUrgent|cOther|cYou|cUser|cBe):
				if x.kind == kindDescription && x.sen.first && x.mood(i) < moodStrong {
					continue
				}
				x.hit(frMislead, 1.5, i, k)
				return
			case x.isWord(k, "even") && x.isWord(k+1, "if", "when", "though") && x.mask.any(cNeg) && x.findAny(cNeg, k, len(x.toks)) >= 0:
				x.hit(frMislead, 1.4, i, k)
				return
			case x.isWord(k, "only") && x.isWord(i, "speak", "talk", "mention", "report", "tell", "name") && (x.mask.any(cDestroy|cSend) || x.mask.any(cResult) && x.mood(i) >= moodOrder && !x.sen.first):
				x.hit(frMislead, 1.4, i, k)
				return
			}
		}
		// "say that no data was available for it", when that serves somebody
		if x.isWord(i, "say", "answer", "claim", "state", "report", "tell", "pretend", "said") && x.findAny(cOutside, 0, len(x.toks)) >= 0 && x.findAny(cWhen, 0, i) >= 0 {
			for k := i + 1; k < min(i+5, len(x.toks)); k++ {
				if x.isWord(k, "that", "it", "no", "they") {
					x.hit(frMislead, 1.4, i, k)
					return
				}
			}
		}
	}
	// Other languages: told so "even if it is not so".
	if x.sen.foreign && x.mask.any(cTell|cShow) {
		for _, p := range [...]string{"même si", "aunque no", "auch wenn", "mesmo que", "даже если", "即使", "就算", "なくても"} {
			if indexFrom(x.text(), p, 0) >= 0 && x.mask.any(cMust|cUser|cResult|cNeg) {
				x.hit(frMislead, 1.5, 0, len(x.toks)-1)
				return
			}
		}
	}
}

// unheard finds what nobody is to hear of: "nobody has to hear about", "no
// need to talk about it", "stays between the two of us", "without a word".
func (x *frameContext) unheard() {
	if x.kind > kindParamDescription && x.kind != kindTitle && x.kind != kindComment || x.unlessWanted() {
		return
	}
	for i := range x.toks {
		if !x.toks[i].c.any(cNeg|cUser|cDo|cSecretly|cOutside|cMust|cTell|cSystem|cCall|cSub) && !x.isWord(i, "word", "reason", "point", "between", "remark") {
			continue
		}
		switch {
		case x.isWord(i, "nobody", "none", "one") && (!x.isWord(i, "one") || x.isWord(i-1, "no")):
			for k := i + 1; k < min(i+6, len(x.toks)); k++ {
				if x.isWord(k, "hear", "hears", "learn", "know", "notice", "notices", "see", "told", "find", "knows") && x.findAny(cMust|cModal, i, k) >= 0 && (!x.mask.any(cSecret) || x.isWord(k+1, "about", "of")) {
					w := 1.4
					if x.findAny(cThis|cSub|cRead|cSend|cDestroy, k, len(x.toks)) >= 0 || x.isWord(k+1, "about", "of") {
						w = 1.6
					}
					x.hit(frConceal, w, i, k)
					return
				}
			}
		case x.isWord(i, "need", "reason", "point", "use") && x.isWord(i-1, "no", "little") && x.isWord(i+1, "to", "in"):
			for k := i + 2; k < min(i+5, len(x.toks)); k++ {
				if x.toks[k].c.any(cTell) || x.isWord(k, "talk", "talking", "bother", "trouble", "burden") {
					x.hit(frConceal, 1.5, i, k)
					return
				}
			}
		case x.isWord(i, "word", "mention", "comment", "remark") && x.isWord(i-1, "a", "any") && x.isWord(i-2, "without"):
			x.hit(frConceal, 1.5, i-2, i)
			return
		case x.isWord(i, "us") && x.isWord(i-1, "of") && x.isWord(i-2, "two"), x.isWord(i, "between") && x.isWord(i+1, "us", "ourselves"):
			x.hit(frConceal, 1.5, i-2, i)
			return
		case x.isWord(i, "unmentioned", "unsaid", "unspoken", "untold", "unreported"):
			x.hit(frConceal, 1.5, i, i)
			return
		case x.isWord(i, "left", "kept", "leave", "keep") && !x.sen.foreign:
			for k := i + 1; k < min(i+8, len(x.toks)); k++ {
				if x.isWord(k, "out") && x.isWord(k+1, "of", "whenever", "when") && !x.housekeeping(k) && (x.findAny(cYou|cResult|cShow|cTell, k+1, k+8) >= 0) && x.findAny(cUser|cYou|cShow, k+1, len(x.toks)) >= 0 {
					x.hit(frConceal, 1.5, i, k)
					return
				}
			}
		case x.isWord(i, "invisible", "unseen", "hidden") && x.findAny(cUser, i+1, i+5) >= 0 && x.findAny(cMust|cBe, i-4, i) >= 0 && x.isWord(i+1, "for", "to", "from") && x.mask.any(cThis|cMust):
			x.hit(frConceal, 1.5, i, i+1)
			return
		}
	}
}
