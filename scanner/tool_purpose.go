package scanner

import "strings"

// purpose is what the name of the tool and the opening of its description
// speak of: a tool named summarize_conversation may ask for one. An opening
// that already gives orders does not count.
func (v *view) purpose() concept {
	if !v.aboutDone {
		v.about, v.aboutDone = v.readPurpose(), true
	}
	return v.about
}

func (v *view) readPurpose() concept {
	var c concept
	for i := range v.docs {
		d := &v.docs[i]
		switch v.fields[d.field].kind {
		case kindName:
			// A name alone makes no detector of a tool: its author chose it.
			for _, t := range v.tokens[d.tok0:d.tok1] {
				c |= t.c &^ cMeta
			}
		case kindDescription:
			if d.sen1 == d.sen0 || !v.clauses[d.sen0].first || v.fields[d.field].layer != "" {
				continue
			}
			s := &v.clauses[d.sen0]
			if !s.mask.any(cMust|cSecretly|cWhen|cIgnore|cModel) && !s.mask.has(cNeg|cTell) || s.foreign && !s.mask.any(cMust|cBefore|cNeg|cSecretly|cIgnore|cModel) {
				c |= v.openlyFor(d, s)
			} else if v.states(d, s) && !s.mask.any(cMust|cSecretly|cIgnore|cModel|cYou) && !s.mask.has(cNeg|cTell) {
				c |= v.openlyFor(d, s) // "writes a variable after a check"
			}
			if v.states(d, s) {
				c |= s.mask & cMeta
				if !s.mask.any(cMust | cSecretly | cWhen | cIgnore) {
					c |= s.mask & (cConv | cHistory)
				}
			}
			// "Uses the previous turns to resolve pronouns": said in the open.
			for k := d.sen0 + 1; k < min(d.sen1, d.sen0+6); k++ {
				if s := &v.clauses[k]; v.tokens[s.tok0].f == formThird && !s.mask.any(cMust|cSecretly|cModel|cIgnore|cWhen|cNeg) && !s.senses.any(sReject) {
					c |= s.mask & (cConv | cHistory)
				}
			}
		}
	}
	return c
}

// states says whether a sentence begins as a description does: "Writes", or an
// unknown word that ends like it.
func (v *view) states(d *doc, s *sentence) bool {
	t := v.tokens[s.tok0]
	return t.f == formThird || t.f == formOther && t.c == 0 && d.text[t.end-1] == 's'
}

// openlyFor gives what an opening sentence is about. A file with credentials
// that goes somewhere, or into a parameter, is no purpose, whoever says so
// first; the variables of one are what it holds, and a public key is none.
func (v *view) openlyFor(d *doc, s *sentence) concept {
	m := s.mask
	if !m.any(cCredPath) || !m.any(cSend|cRead|cInclude) || strings.Contains(d.text[s.start:min(int(s.end)+4, len(d.text))], ".pub") {
		return m
	}
	if m.any(cOutside|cLink) || v.intoArgument(d, s) {
		return m &^ (cCredPath | cSecret)
	}
	return m
}

// intoArgument says whether a sentence speaks of an argument of the tool.
func (v *view) intoArgument(d *doc, s *sentence) bool {
	for k := s.tok0; k < s.tok1; k++ {
		if t := v.tokens[k]; t.c.any(cParam) {
			switch v.word(d, t) {
			case "parameter", "parameters", "argument", "arguments", "field", "param":
				return true
			}
		}
	}
	return false
}
