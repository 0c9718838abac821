//go:build heldout

package mutation

import "slices"

// heldOut are the operators that nobody develops a detector with. Do not read
// these files, nor run them on single entries, when you write rules.
func heldOut() []Operator {
	list := slices.Concat(heldOutInvisible(), heldOutVisual(), heldOutEncodings(), heldOutCiphers(), heldOutSpelling(),
		heldOutPlacement(), heldOutSplitting(), heldOutMarkup(), heldOutANSI(), heldOutLanguage(), heldOutParaphrase())
	for i := range list {
		list[i].HeldOut = true
	}
	return list
}
