package power

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/pool"
)

// Sixteen queries, of which the first run finds all and the second one half, so
// that the differences are 0 and -1.
func halves() (contracts.GoldenSet, []string, []pool.Run) {
	golden := contracts.GoldenSet{Queries: []contracts.Query{{ID: "none", Query: "x", Expects: contracts.ExpectsNone}}}
	first, second := pool.Run{Name: "all", Found: map[string][]contracts.ToolID{}}, pool.Run{Name: "half", Found: map[string][]contracts.ToolID{}}
	var groups []string
	for i := range 16 {
		id := fmt.Sprint("q", i)
		golden.Queries = append(golden.Queries, contracts.Query{ID: id, Query: "x", Labels: []contracts.Label{{ToolID: "s:a", Relevance: 2}}})
		groups = append(groups, id)
		first.Found[id] = []contracts.ToolID{"s:a"}
		if i%2 == 0 {
			second.Found[id] = []contracts.ToolID{"s:a"}
		}
	}
	return golden, groups, []pool.Run{first, second}
}

func TestOf(t *testing.T) {
	golden, groups, runs := halves()
	p, err := Of(golden, groups, runs, Options{Metrics: []string{"recall_at_5"}, Sizes: []int{16, 64}, Detect: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	sd := math.Sqrt(0.25 * 16 / 15)
	want := 2.8015852 * sd / 4
	m := p.Metrics[0]
	if p.Queries != 16 || p.Groups != 16 || math.Abs(m.Pairs[0].Detectable-want) > 1e-6 || m.Pairs[0].Delta != -0.5 || math.Abs(m.Pairs[0].SD-sd) > 1e-12 {
		t.Errorf("%+v, want %v", p, want)
	}
	if math.Abs(m.Sizes[1].Median-want/2) > 1e-6 || m.Sizes[0].Least != m.Sizes[0].Most {
		t.Errorf("four times the queries detect half: %+v", m.Sizes)
	}
	if needed := int(math.Ceil(16 * want * want / 0.01)); *m.Needed != needed {
		t.Errorf("%d queries detect .1, want %d", *m.Needed, needed)
	}
	// Queries that move together count as one.
	for i := range groups {
		groups[i] = fmt.Sprint("g", i%2)
	}
	together, err := Of(golden, groups, runs, Options{Metrics: []string{"recall_at_5"}})
	if err != nil || together.Groups != 2 || together.Metrics[0].Pairs[0].Detectable <= 2*want {
		t.Errorf("%+v, %v", together, err)
	}
}

func TestOfRefuses(t *testing.T) {
	golden, groups, runs := halves()
	for want, try := range map[string]func() error{
		"there are 1 runs": func() error {
			_, err := Of(golden, groups, runs[:1], Options{})
			return err
		},
		`there is no metric "recall"`: func() error {
			_, err := Of(golden, groups, runs, Options{Metrics: []string{"recall"}})
			return err
		},
		"has 0 queries with a right tool": func() error {
			_, err := Of(contracts.GoldenSet{}, nil, runs, Options{})
			return err
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
