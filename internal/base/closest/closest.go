// Package closest finds the name that somebody probably meant. Every message that asks "did you
// mean" uses it, so that all have the same idea of similar.
package closest

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
)

// To returns the known name with the smallest edit distance from the given one, the first of
// several, or "" if none is similar. In a similar name one letter differs, or up to a third of the
// letters, or two of a short name, but not all of several. Case does not count.
func To(given string, known []string) string {
	best, distance := "", max(2, len(given)/3)+1
	if given == "" {
		return ""
	}

	given = strings.ToLower(given)
	for _, name := range known {
		below := min(distance, max(2, min(len(given), len(name))))
		if d := len(name) - len(given); d >= below || -d >= below { // this also bounds the work
			continue
		}

		if d := levenshtein.Distance(given, strings.ToLower(name), nil); d < below {
			best, distance = name, d
		}
	}

	return best
}

// Remedy ends a message about an unknown name: it asks for the name that was probably meant, or else
// lists the known ones.
func Remedy(given string, known []string) string {
	if meant := To(given, known); meant != "" {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	return "use " + strings.Join(known, ", ")
}
