package frames

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// sink finds data that goes to a place named in the text.
func (x *passage) sink() {
	if !x.mask.Any(concept.Send|concept.Change|concept.Include|concept.Prefer) || !x.literalSink() && !x.mask.Any(concept.Outside) {
		if x.mask.Any(concept.Link | concept.Include) {
			x.linkCarriesData()
		}
		return
	}
	x.linkCarriesData()
	literal := x.literalSink()
	sends, m := x.demanded(concept.Send, token.MoodOrder)
	if sends >= 0 && literal && (m == token.MoodStrong || !x.sen.First) {
		w := 1.2
		if x.mask.Any(concept.Conv|concept.History|concept.Secret|concept.Whole|concept.User|concept.Result|concept.Other|concept.Personal) || x.sends2(sends) {
			w = 1.6
		}
		x.hit(Send, w, sends, sends)
		return
	}
	if sends >= 0 && x.mask.Any(concept.Outside) && (m >= token.MoodOrder) && x.findAny(concept.Conv|concept.History|concept.Secret|concept.Whole|concept.Result, 0, len(x.toks)) >= 0 {
		x.hit(Send, 1.3, sends, sends)
	}
	if !literal {
		return
	}
	if i := x.describedSending(); i >= 0 {
		x.hit(Send, 1.5, i, i)
	} else if i := x.changedTarget(); i >= 0 {
		x.hit(Redirect, 1.7, i, i)
	}
}

// describedSending finds a verb of sending in a description, not a demand: "a
// copy of each page is posted to ...". It returns -1 if there is none.
func (x *passage) describedSending() int {
	for i := range x.toks {
		t := x.toks[i]
		if !t.Means.Any(concept.Send) || t.Form != lexicon.PastForm && t.Form != lexicon.ThirdPerson || t.Flags&token.Ident != 0 {
			continue
		}
		if x.mask.Any(concept.Secret|concept.Conv|concept.History|concept.Personal|concept.Whole) || x.copyOf() {
			return i
		}
	}
	return -1
}

// changedTarget finds a verb that changes a destination, or returns -1.
func (x *passage) changedTarget() int {
	for i := range x.toks {
		t := x.toks[i]
		if !t.Means.Any(concept.Change) || t.Flags&token.Ident != 0 || t.Form == lexicon.IngForm {
			continue
		}
		if x.findAny(concept.Target|concept.Send|concept.Pay, i-6, i+8) >= 0 && (x.mood(i) >= token.MoodOrder || t.Form == lexicon.PastForm || x.mask.Any(concept.Other)) {
			return i
		}
	}
	return -1
}

func (x *passage) sends2(i int) bool {
	return x.isWord(i, "bcc", "cc", "mirror", "upload", "exfiltrate", "forward")
}

func (x *passage) copyOf() bool {
	for i := range x.toks {
		if x.isWord(i, "copy", "copies", "mirrored", "cookies", "also", "additionally") {
			return true
		}
	}
	return false
}

// linkCarriesData finds links and images whose address should be filled with
// data: a placeholder in a query, "append it to the URL".
func (x *passage) linkCarriesData() {
	// A placeholder's bracket ends the sentence.
	s := x.doc.Text[x.sen.Start:min(len(x.doc.Text), int(x.sen.End)+80)]
	if hole := placeholderInURL(s); hole != "" && (x.mask.Any(concept.Conv|concept.History|concept.Secret|concept.System|concept.Personal|concept.CredPath) || telling(hole)) && (telling(hole) || !x.about.Any(concept.Link)) {
		x.hit(Link, 1.8, 0, len(x.toks)-1)
		return
	}
	if x.mask.Any(concept.Link) && x.mask.Any(concept.Secret|concept.Conv|concept.History|concept.CredPath|concept.System) {
		if j, m := x.demanded(concept.Include|concept.Send|concept.Read, token.MoodOrder); m >= token.MoodOrder && x.findAny(concept.Link, j, len(x.toks)) >= 0 && !x.about.Any(concept.Link) {
			x.hit(Link, 0.5, j, j)
		}
	}
}

// placeholderInURL returns the placeholder in the path, query or host of a URL,
// as {x}, <x> or [x], or "".
func placeholderInURL(s string) string {
	for from := 0; ; {
		i := char.IndexFrom(s, "://", from)
		if i < 0 {
			return ""
		}
		j := i + 3
		for ; j < len(s) && s[j] > ' ' && s[j] != '"' && s[j] != '`'; j++ {
			if s[j] == '=' && j+3 < len(s) && (s[j+1:j+4] == "..." || char.IsUpper(s[j+1]) && char.IsUpper(s[j+2]) && char.IsUpper(s[j+3])) {
				return s[j+1 : min(len(s), j+60)]
			}
			if s[j] == '{' || s[j] == '<' || s[j] == '[' && (s[j-1] == '=' || s[j-1] == '/') {
				end := j + 1
				for end < len(s) && end-j < 60 && s[end] != '}' && s[end] != '>' && s[end] != ']' {
					end++
				}
				return s[j+1 : end]
			}
		}
		from = j
	}
}

// telling reports whether a placeholder represents content of a conversation.
func telling(hole string) bool {
	var buf [64]byte
	low := string(char.LowerASCII(buf[:0], hole))
	for _, w := range [...]string{"conversation", "summary", "history", "user ", "typed", "said", "session", "facts", "question", "query_history", "email", "context", "secret", "prompt", "response", "message", "chat", "transcript", "password", "token", "user_", "data", "content"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}
