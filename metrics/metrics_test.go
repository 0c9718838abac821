package metrics

import (
	"math"
	"testing"
)

// near fails unless got is want up to the given number of decimals.
func near(t *testing.T, what string, got, want float64, decimals int) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > 0.5000001*math.Pow10(-decimals) {
		t.Errorf("%s = %.8f, want %.*f", what, got, decimals, want)
	}
}
