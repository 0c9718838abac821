package scoreretrieval

import (
	"slices"
	"testing"
)

func TestFailuresStandByTheirError(t *testing.T) {
	got := byError([]failure{
		{"q1", "refused"}, {"q2", "not JSON"}, {"q3", "refused"}, {"q4", "refused"},
		{"q5", "refused"}, {"q6", "refused"}, {"q7", "refused"}, {"q8", "refused"},
	})
	want := []string{"q1, q3, q4, q5, q6 and 2 more: refused", "q2: not JSON"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
