//go:build heldout

package mutation

import "slices"

// heldOut lists the operators that must not be used to develop detectors. If you
// write rules, do not read these files, and do not run them on single entries.
func heldOut() []Operator {
	list := slices.Concat(heldOutInvisible(), heldOutVisual(), heldOutEncodings(), heldOutCiphers(), heldOutSpelling(),
		heldOutPlacement(), heldOutSplitting(), heldOutMarkup(), heldOutANSI(), heldOutLanguage(), heldOutParaphrase())
	for i := range list {
		list[i].HeldOut = true
	}
	return list
}
