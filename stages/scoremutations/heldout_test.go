//go:build heldout

package scoremutations

import (
	"os"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/stages/scoremutations/mutation"
)

// A report has only sums for held-out operators, and names neither operators
// nor entries.
func TestHeldOutTellsSumsOnly(t *testing.T) {
	opts := Options{Security: sample(t), Detectors: []string{"word"}, Argv: []string{os.Args[0], "fake", "kumquat"}, Seed: 1, HeldOut: true}
	d := measure(t, opts).Detectors[0]
	names := map[string]bool{}
	for _, op := range mutation.HeldOut() {
		names[op.Name] = true
	}
	for _, f := range d.Families {
		if f.HeldOut == nil || f.HeldOut.Recall.Of == 0 || f.Difference == nil {
			t.Errorf("%s: held out %+v, difference %v", f.Family, f.HeldOut, f.Difference)
		}
		for _, o := range f.Operators {
			if names[o.Operator] || strings.Contains(strings.Join(o.Lost, " "), "~") {
				t.Errorf("%s tells of %s", f.Family, o.Operator)
			}
		}
	}
}
