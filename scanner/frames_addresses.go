package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// Concrete places outside: addresses of hosts and of people.

// literalSink says whether the sentence names a concrete place outside: an
// e-mail address, a URL, an IP address, a bucket.
func (x *frameContext) literalSink() bool {
	if x.sinks == 0 {
		x.sinks = 1
		if x.namesSink() {
			x.sinks = 2
		}
	}
	return x.sinks == 2
}

func (x *frameContext) namesSink() bool {
	s := x.text()
	if int(x.sen.end) < len(x.doc.text) {
		// A host name's dot may have ended the sentence.
		s = x.doc.text[x.sen.start:min(len(x.doc.text), int(x.sen.end)+24)]
	}
	return strings.Contains(s, "://") || char.HasEmail(s) || char.HasIPv4(s)
}
