package frames

import (
	"strings"
)

// Frames about destinations named in the text: who else gets a copy, whose
// account is paid, what a link should carry.

// textBeyond is the sentence with some of the following text, because the dot
// of a host name may have ended it.
func (x *passage) textBeyond() string {
	return x.doc.Text[x.sen.Start:min(len(x.doc.Text), int(x.sen.End)+24)]
}

// exampleBefore reports whether the address in a text is announced as an example.
func exampleBefore(s string) bool {
	at := strings.IndexAny(s, "@+")
	if at < 0 {
		return false
	}
	before := strings.ToLower(s[max(0, at-48):at])
	for _, w := range [...]string{"e.g", "such as", "for example", "for instance", " like ", "z. b", "z.b", "p. ej", "por ejemplo", "par exemple", "por exemplo", "例", "напр", "example:"} {
		if strings.Contains(before, w) {
			return true
		}
	}
	return false
}
