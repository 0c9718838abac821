package pipeline

import (
	"fmt"
	"math/big"
	"regexp"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// maxExponent bounds the size of numbers, in bits: what no float64 can hold is
// a mistake. Numbers are exact and of any size, so that to write 1e99999999
// down, as a command would have to, takes minutes and 100 MB.
const maxExponent = 1100

var errHugeNumber = fmt.Errorf("a number is beyond 1e308 or nearer to 0 than 1e-308")

// hugeNumber tells whether a number is too large, or too near to 0, to handle.
func hugeNumber(v cty.Value) bool {
	if v.Type() != cty.Number || !v.IsKnown() || v.IsNull() {
		return false
	}
	return hugeFloat(v.AsBigFloat())
}

func hugeFloat(f *big.Float) bool {
	exp := f.MantExp(nil) // 0 of infinity, which 1/0 is
	return f.IsInf() || exp > maxExponent || exp < -maxExponent
}

// holdsHugeNumber looks for one in a whole value.
func holdsHugeNumber(v cty.Value) bool {
	found := false
	v, _ = v.UnmarkDeep()
	// The callback never fails.
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		found = found || hugeNumber(v)
		return true, nil
	})
	return found
}

var longExponent = regexp.MustCompile(`[0-9][eE][+-]?[0-9]{3,}`)

// hugeLiteral finds a number literal that is too large. What looks like one in
// a string or a comment is none, which only the tokens can tell.
func hugeLiteral(src []byte, filename string) (hcl.Range, bool) {
	if !longExponent.Match(src) {
		return hcl.Range{}, false
	}
	tokens, _ := hclsyntax.LexConfig(src, filename, hcl.InitialPos)
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenNumberLit && longExponent.Match(t.Bytes) {
			if f, _, err := big.ParseFloat(string(t.Bytes), 10, 64, big.ToNearestEven); err != nil || hugeFloat(f) {
				return t.Range, true
			}
		}
	}
	return hcl.Range{}, false
}
