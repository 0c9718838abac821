package tool

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Texts that have a meaning only when joined: an encoded text that is split over
// the fields of a schema.

// encodedPieces joins the runs of the fields that may be pieces of an encoded text.
func (v *View) encodedPieces() (pieces string, n int) {
	var b strings.Builder
	for i := range v.Fields {
		f := &v.Fields[i]
		st := &v.Docs[i].Stats
		if st.LongestWord < token.MinRun && (st.LongestWord < 8 || st.Mixed == 0) || f.Kind == KindName ||
			f.Kind == KindParamName || len(f.Text) > 1<<16 {
			continue
		}

		char.Runs(f.Text, &char.Base64, 8, func(run string) bool {
			if decode.EncodedRun(run) {
				b.WriteString(run)
				n++
			}

			return n < 64
		})
	}

	return b.String(), n
}
