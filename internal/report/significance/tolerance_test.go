package significance

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestReplaceable(t *testing.T) {
	column := func(n, hits int) (values []float64, groups []string) {
		for i := range n {
			value := 0.0
			if i < hits {
				value = 1
			}
			values, groups = append(values, value), append(groups, fmt.Sprint(i))
		}
		return values, groups
	}
	for _, tt := range []struct {
		n, hits int
		want    float64
		reason  string
	}{
		// The standard error of 160 of 400 is sqrt(.4·.6/399) = .02453.
		{400, 160, .086, "3.5 standard errors (0.0245) of the difference from an equally good replacement; 21% of the baseline's 0.4000"},
		{50, 40, .2, "3.5 standard errors (0.0571)"},
		{10, 4, .2, "half of the value, less than 3.5 standard errors"},
		{9000, 8900, .05, "the smallest loss that matters, more than 3.5 standard errors"},
		// All queries are equal: the score interval of 400 of 400 has a width of .0095.
		{400, 400, .05, "the smallest loss"},
	} {
		values, groups := column(tt.n, tt.hits)
		got := Replaceable("recall_at_5", values, groups)
		if math.Abs(got.Tolerance-tt.want) > 1e-9 || !strings.HasPrefix(got.Reason, tt.reason) || got.ByPerson() {
			t.Errorf("%d of %d: %v, %s", tt.hits, tt.n, got.Tolerance, got.Reason)
		}
	}
	if got := Replaceable("recall_at_5", []float64{0, 0}, []string{"a", "b"}); got.Tolerance <= 0 {
		t.Errorf("a metric of 0 has a tolerance of %v", got.Tolerance)
	}
}
