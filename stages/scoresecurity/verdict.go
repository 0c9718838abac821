package scoresecurity

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Limits for what a detector can put into the report.
const (
	maxEvidence = 500
	maxReason   = 300
	maxSignals  = 50
	maxSignal   = 100
)

// readVerdict checks one line of the detector against the protocol. It returns an
// error for anything but a verdict on this entry, because a misspelled field must
// not look like "not flagged".
func readVerdict(line []byte, id string) (contracts.DetectorVerdict, error) {
	v, err := contracts.Decode[contracts.DetectorVerdict]("verdict", line)
	if file := (*contracts.FileError)(nil); errors.As(err, &file) {
		// Use only the messages: the place and the id of the request differ
		// from run to run.
		var messages []string
		for _, p := range file.Problems {
			messages = append(messages, p.Message)
		}

		return v, fmt.Errorf("answered something other than a verdict: %s", strings.Join(messages, "; "))
	}

	if err != nil {
		return v, err
	}

	switch {
	case v.ID != id:
		return v, errors.New("answered with the id of another request")
	case v.Error != "" && v.Flagged:
		return v, errors.New("answered with both flagged and error")
	}

	return v, nil
}

// renderSafe makes text of a detector safe for terminals and pages. It returns at
// most limit bytes of valid UTF-8, in which invisible characters and characters
// that move the cursor are escaped.
func renderSafe(text string, limit int) string {
	const cut = "…"
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		piece := text[:size]
		text = text[size:]
		switch {
		case r == utf8.RuneError:
			piece = "\uFFFD"
		case r == '\n' || r == '\t':
			piece = " "
		case !strconv.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r) || blank(r):
			piece = fmt.Sprintf(`\u{%X}`, r)
		}

		if b.Len()+len(piece) > limit-len(cut) {
			b.WriteString(cut)
			break
		}

		b.WriteString(piece)
	}

	return b.String()
}

// blank reports whether a rune that counts as printable is invisible.
func blank(r rune) bool {
	switch r {
	case '\u034F', '\u115F', '\u1160', '\u17B4', '\u17B5', '\u2800', '\u3164', '\uFFA0':
		return true
	}
	return false
}
