package pipeline

import (
	"fmt"
	"math/big"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// maxExponent limits the size of numbers, in bits: a number that no float64 can hold is a mistake.
// Numbers are exact and of any size, so formatting 1e99999999 for a command would take minutes and
// 100 MB.
const maxExponent = 1100

var errHugeNumber = fmt.Errorf("a number is beyond 1e308 or closer to 0 than 1e-308")

// hugeNumber reports whether a number is too large, or too close to 0.
func hugeNumber(v cty.Value) bool {
	if v.Type() != cty.Number || !v.IsKnown() || v.IsNull() {
		return false
	}
	return hugeFloat(v.AsBigFloat())
}

func hugeFloat(f *big.Float) bool {
	exp := f.MantExp(nil) // 0 for infinity, such as 1/0
	return f.IsInf() || exp > maxExponent || exp < -maxExponent
}

// holdsHugeNumber reports whether a value contains such a number.
func holdsHugeNumber(v cty.Value) bool {
	found := false
	v, _ = v.UnmarkDeep()
	// The callback never returns an error.
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		found = found || hugeNumber(v)
		return true, nil
	})
	return found
}

var longExponent = lazyregexp.New(`[0-9][eE][+-]?[0-9]{3,}`)

// hugeLiteral finds a number literal that is too large. It examines tokens, because text in a string
// or a comment may look like a number.
func hugeLiteral(src []byte, filename string) (hcl.Range, bool) {
	if !longExponent().Match(src) {
		return hcl.Range{}, false
	}

	tokens, _ := hclsyntax.LexConfig(src, filename, hcl.InitialPos)
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenNumberLit && longExponent().Match(t.Bytes) {
			if f, _, err := big.ParseFloat(string(t.Bytes), 10, 64, big.ToNearestEven); err != nil || hugeFloat(f) {
				return t.Range, true
			}
		}
	}

	return hcl.Range{}, false
}
