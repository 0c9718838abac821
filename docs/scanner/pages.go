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

var (
	mark = regexp.MustCompile(`(?m)^<!--.*-->\n`)
	link = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)
