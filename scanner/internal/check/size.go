package check

import (
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// checkSize finds text whose purpose is to push other text out of sight.
var checkSize = Check{sizeInfo, inspectSize}

var sizeInfo = Info{
	ID: "size.suspicious", Tier: Soft, ThreatType: Uncategorized,
	Description: "text of a size, padding or repetition that documentation does not need",
	Why:         "nobody reads all of it, and something may hide in it",
	Do:          "Read the whole text in an editor, and ask the author to shorten it.",
}

const (
	// sizeLimit is the length of a description, in bytes, beyond which nobody
	// reads all of it before approving. The longest of 527 real ones has 3,866.
	sizeLimit = 20_000
	// gapLimit is the amount of white space, in bytes, that moves the following
	// text out of a window; lineLimit is the same in empty lines.
	gapLimit  = 200
	lineLimit = 25
	// repeatLimit is the largest allowed number of repetitions of one line or
	// one character.
	repeatLimit = 30
	// minLine is the smallest length, in bytes, of a line that counts.
	minLine = 4
)

func inspectSize(v *reading.Reading, _ *tool.Registry) []Signal {
	var out []Signal
	add := func(f *tool.Field, confidence float64, at int, format string, args ...any) {
		out = append(out, Signal{CheckID: sizeInfo.ID, Tier: Soft, ThreatType: Uncategorized,
			Confidence: confidence,
			Detail:     v.Where(f) + ": " + fmt.Sprintf(format, args...)}.quoting(v, f, f.Text, at,
			min(at+80, len(f.Text))))
	}
	for i := range v.AllFields() {
		f := &v.Fields[i]
		if f.Layer != "" || len(f.Text) < gapLimit && f.Kind != tool.KindName {
			continue
		}

		if len(f.Text) > sizeLimit {
			add(f, 0.4, 0, "%d bytes", len(f.Text))
		}

		if f.Kind == tool.KindName && len(f.Text) > 128 && v.Subject != tool.Resource &&
			v.Subject != tool.ResourceTemplate {
			add(f, 0.5, 0, "a name of %d bytes", len(f.Text))
		}

		if at := paddedAt(f.Text); at > 0 {
			add(f, 0.7, at, "white space that pushes the text after it out of sight")
		}

		if len(f.Text) < repeatLimit*3*minLine || !manyLines(f.Text, repeatLimit*3) {
			continue
		}

		if n, at := repetition(f.Text); n >= repeatLimit*3 {
			add(f, 0.4, at, "one line %d times", n)
		}
	}

	return strongestOf(out)
}

// gapSet are the characters of gaps.
var gapSet = char.SetOf(" \t\r\n")

// paddedAt returns where text continues after a gap that no layout needs, or 0.
func paddedAt(s string) int {
	// A gap with too many lines also has too many bytes.
	wide := false
	char.Runs(s, &gapSet, min(gapLimit, lineLimit+1), func(string) bool {
		wide = true
		return false
	})
	if !wide {
		return 0
	}

	start, lines := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\n':
			lines++
		case ' ', '\t', '\r':
		default:
			if start > 0 && (i-start >= gapLimit || lines > lineLimit) {
				return i
			}

			start, lines = i+1, 0
		}
	}

	return 0
}

// manyLines reports whether a text may have at least as many sentence ends as
// decode.SentenceEnd finds.
func manyLines(s string, least int) bool {
	n := 1
	for _, end := range [...]string{"\n", ".", "!", "?"} {
		if n += strings.Count(s, end); n >= least {
			return true
		}
	}
	return false
}

// repetition returns the largest number of consecutive equal lines, and where
// they are.
func repetition(s string) (most, at int) {
	var last string
	n := 0
	for from := 0; from < len(s); {
		end := decode.SentenceEnd(s, from)
		line := s[from:end]
		if line == last && len(line) >= minLine {
			n++
			if n > most {
				most, at = n, from
			}
		} else {
			n = 1
		}

		last, from = line, end
	}

	return most, at
}
