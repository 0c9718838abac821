// Package convert converts the evaluation's data to and from the file formats
// of TREC, so that other tools can score Touchstone's runs and Touchstone can
// score on other topics. It also reads the datasets of other projects.
package convert

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// The name of a tool may contain white space, which a TREC file cannot hold.
// escape writes white space and the percent sign as in a URL, and leaves other
// names unchanged.

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

// ToolID returns the tool that a document of a TREC file stands for, which is
// the inverse of what WriteQrels and WriteRun write.
func ToolID(document string) contracts.ToolID { return unescape(document) }

// unescape is the inverse of escape. It returns an id that escape cannot have
// written unchanged.
func unescape(id string) contracts.ToolID {
	if !strings.Contains(id, "%") {
		return id
	}
	if plain, err := url.PathUnescape(id); err == nil && escape(plain) == id {
		return plain
	}
	return id
}
