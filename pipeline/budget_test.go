package pipeline

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// The values of all expressions together are limited, too. That is reported once, because every
// further expression would exceed the limit.
func TestKept(t *testing.T) {
	expr, diags := hclsyntax.ParseExpression([]byte(`["a", "b"]`), "f.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	b := budget{kept: maxKept - 5*elementSize}
	var reports []string
	for range 4 {
		_, diags := b.value(expr, nil)
		for _, d := range diags {
			reports = append(reports, d.Summary)
		}
	}
	if strings.Join(reports, ", ") != "Values too large" {
		t.Errorf("reported: %v", reports)
	}
}

func TestSizeOf(t *testing.T) {
	pair := cty.TupleVal([]cty.Value{cty.StringVal("1234"), cty.True})
	const pairSize = 3*elementSize + 4
	for _, tt := range []struct {
		val  cty.Value
		want int64
	}{
		{cty.StringVal("abc"), elementSize + 3},
		{cty.NumberIntVal(7).Mark(sensitive{}), elementSize},
		{cty.UnknownVal(cty.String), elementSize},
		{cty.NullVal(cty.List(cty.String)), elementSize},
		{cty.ListValEmpty(cty.String), elementSize},
		{cty.ListVal([]cty.Value{cty.Zero, cty.Zero}), 3 * elementSize},
		{pair, pairSize},
		{cty.ObjectVal(map[string]cty.Value{"ab": pair, "c": pair}), elementSize + 2*pairSize + 3},
	} {
		if got := sizeOf(tt.val, maxMade); got != tt.want {
			t.Errorf("%#v has %d bytes, want %d", tt.val, got, tt.want)
		}
	}
	// It does not walk through a value that is shared 2^60 times.
	shared := pair
	for range 60 {
		shared = cty.TupleVal([]cty.Value{shared, shared})
	}
	if got := sizeOf(shared, 1000); got <= 1000 {
		t.Errorf("%d bytes", got)
	}
}
