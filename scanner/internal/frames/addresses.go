package frames

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// Specific external places: addresses of hosts and of people.

// literalSink reports whether the sentence names a specific external place: an
// e-mail address, a URL, an IP address, a bucket.
func (x *passage) literalSink() bool {
	if x.sinks == 0 {
		x.sinks = 1
		if x.namesSink() {
			x.sinks = 2
		}
	}
	return x.sinks == 2
}

func (x *passage) namesSink() bool {
	s := x.text()
	if int(x.sen.End) < len(x.doc.Text) {
		// The dot of a host name may have ended the sentence.
		s = x.doc.Text[x.sen.Start:min(len(x.doc.Text), int(x.sen.End)+24)]
	}
	return strings.Contains(s, "://") || char.HasEmail(s) || char.HasIPv4(s)
}
