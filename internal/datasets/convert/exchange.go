// Package convert carries the evaluation's data over to the file formats of
// TREC and back, so that other tools can score our runs and we can score on
// other people's topics, and reads the datasets of other projects. It knows
// contracts and these formats and nothing else.
package convert

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// A tool's name may hold white space, which a TREC file cannot. Such
// characters are written as in a URL, and so is the sign that does that; all
// other names stay as they are.

const blanks = " \t\n\v\f\r\x00"

func escape(id contracts.ToolID) string {
	if !strings.ContainsAny(id, blanks+"%") {
		return id
	}
	var b strings.Builder
	for i := range len(id) {
		if c := id[i]; strings.IndexByte(blanks+"%", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unescape is the inverse of escape. An id that is not written that way is
// taken as it is.
func unescape(id string) contracts.ToolID {
	if !strings.Contains(id, "%") {
		return id
	}
	if plain, err := url.PathUnescape(id); err == nil && escape(plain) == id {
		return plain
	}
	return id
}
