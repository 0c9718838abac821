package direct

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// The scores of three small documents, computed by hand.
func TestBM25(t *testing.T) {
	tools := []tool{
		{id: "s:a", name: "alpha", description: "beta beta"},
		{id: "s:b", name: "beta", description: "gamma"},
		{id: "s:c", name: "delta", description: "delta delta delta"},
	}
	got, err := newBM25(tools, plainFields).rank(t.Context(), "beta gamma")
	if err != nil {
		t.Fatal(err)
	}
	// Lengths 3, 2, 4; average 3. beta is in two documents, gamma in one.
	idf := func(n float64) float64 { return math.Log(1 + (3-n+0.5)/(n+0.5)) }
	part := func(count, length float64) float64 { return count * 2.2 / (count + 1.2*(0.25+0.75*length/3)) }
	want := []ranked{{1, idf(2)*part(1, 2) + idf(1)*part(1, 2)}, {0, idf(2) * part(2, 3)}}
	if len(got) != 2 || got[0].tool != 1 || got[1].tool != 0 ||
		math.Abs(got[0].score-want[0].score) > 1e-12 || math.Abs(got[1].score-want[1].score) > 1e-12 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEqualScoresStandByID(t *testing.T) {
	tools := []tool{{id: "s:z", name: "x"}, {id: "s:a", name: "x"}}
	got, err := newBM25(tools, plainFields).rank(t.Context(), "x")
	if err != nil || len(got) != 2 || got[0].tool != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestEverything(t *testing.T) {
	got, err := everything{{id: "s:z"}, {id: "s:a"}}.rank(t.Context(), "a")
	if err != nil || !reflect.DeepEqual(got, []ranked{{0, 0}, {1, 0}}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// letters is a model that counts the letters a and b.
type letters struct {
	calls int
	// fails is the number of the call that fails, and short that of the call
	// that returns vectors of one number.
	fails, short int
}

func (*letters) Identity() string { return "letters" }

func (m *letters) Embed(_ context.Context, texts []string) ([][]float32, error) {
	m.calls++
	var vectors [][]float32
	for _, text := range texts {
		v := []float32{float32(strings.Count(text, "a")), float32(strings.Count(text, "b"))}
		if m.calls == m.short {
			v = v[:1]
		}
		vectors = append(vectors, v)
	}
	if m.calls == m.fails {
		return nil, errors.New("out of order")
	}
	return vectors, nil
}

func TestDense(t *testing.T) {
	var tools []tool
	for i := range 100 {
		tools = append(tools, tool{id: fmt.Sprintf("s:%03d", i), name: strings.Repeat("a", i), description: "b"})
	}
	d, err := newDense(t.Context(), &letters{}, tools)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.rank(t.Context(), "aab")
	if err != nil || len(got) != 100 || got[0].tool != 2 || math.Abs(got[0].score-1) > 1e-12 || got[99].tool != 0 {
		t.Errorf("got %v, %v", got[:1], err)
	}
}

func TestDenseSaysWhatIsWrong(t *testing.T) {
	tools := []tool{{id: "s:a", name: "a"}}
	if _, err := newDense(t.Context(), &letters{fails: 1}, tools); err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("a model that fails for the tools: %v", err)
	}
	for _, c := range []struct {
		model letters
		want  string
	}{{letters{fails: 2}, "out of order"}, {letters{short: 2}, "a vector with 1 numbers for the query, but one with 2"}} {
		d, err := newDense(t.Context(), &c.model, tools)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.rank(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestServeRefuses(t *testing.T) {
	if err := Serve(context.Background(), Options{Listen: "0.0.0.0:0"}); err == nil || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("got %v", err)
	}
	if _, err := newClient(t.Context(), Options{Rank: "best", Config: contracts.ProxyConfig{Upstreams: []contracts.Upstream{{Name: "never-asked", URL: "http://127.0.0.1:1"}}}}); err == nil || !strings.Contains(err.Error(), "bm25, bm25-stemmed, dense, all") {
		t.Errorf("got %v", err)
	}
	if _, err := newClient(t.Context(), Options{Rank: RankDense}); err == nil || !strings.Contains(err.Error(), "--model DIR") {
		t.Errorf("got %v", err)
	}
}
