// Package pages holds the manual of the checks, for the programs that print it.
package pages

import (
	"embed"
	"regexp"
	"strings"
)

//go:embed *.md
var files embed.FS

// Check returns the page about a check, in Markdown without marks for tests and links
// to other pages. ok is false if there is none.
func Check(id string) (text string, ok bool) {
	raw, err := files.ReadFile(id + ".md")
	if err != nil || !strings.Contains(id, ".") {
		return "", false
	}
	text = mark.ReplaceAllString(string(raw), "")
	text = link.ReplaceAllString(text, "$1")
	return strings.TrimSpace(text) + "\n", true
}

// Examples returns the examples of a check's page: lists of tools, as JSON, that the
// check reports, and innocent ones like them that no check reports.
func Examples(id string) (fires, near []string) {
	raw, err := files.ReadFile(id + ".md")
	if err != nil {
		return nil, nil
	}

	for _, m := range example.FindAllStringSubmatch(string(raw), -1) {
		switch text := strings.TrimSpace(m[3]); {
		case m[2] != id:
		case m[1] == "":
			fires = append(fires, text)
		default:
			near = append(near, text)
		}
	}

	return fires, near
}

var (
	mark = regexp.MustCompile(`(?m)^<!--.*-->\n`)
	// example matches a block whose marks the test of the pages reads too.
	example = regexp.MustCompile("(?ms)^<!-- (not )?flagged: (\\S+) -->\n+```json\n(.*?)^```$")
	link    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)
