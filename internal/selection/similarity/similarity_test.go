package similarity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
)

func tool(server, name, description string, parameters ...string) Tool {
	properties := map[string]any{}
	for _, p := range parameters {
		properties[p] = map[string]string{"type": "string"}
	}
	schema, _ := json.Marshal(map[string]any{"type": "object", "properties": properties})
	return Tool{Server: server, Name: name, Description: description, InputSchema: schema}
}

func sample() []Tool {
	return []Tool{
		tool("github", "search_issues", "Searches the issues of a repository by words and returns the matching issues with their state.", "query", "repo"),
		tool("gitlab", "search_issues", "Searches the issues of a project by words and returns the matching issues with their state.", "query", "project"),
		tool("weather", "forecast", "Returns tomorrow's weather for a city, e.g. Oslo.", "city"),
		tool("files", "read_file", "Reads a file.", "path"),
	}
}

func mustPrepare(t *testing.T, tools []Tool, names ...string) []Tool {
	t.Helper()
	list, err := Prepare(tools, names)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// hashEncoder gives each word its own direction, so that texts with the same
// words have the same vector.
type hashEncoder struct{}

func (hashEncoder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, 16)
		for _, w := range tokenize.ContentWords(text) {
			h := fnv.New64a()
			h.Write([]byte(w))
			r := rand.New(rand.NewPCG(h.Sum64(), 1))
			for k := range vectors[i] {
				vectors[i][k] += float32(r.NormFloat64())
			}
		}
	}
	return vectors, nil
}

func TestPrepare(t *testing.T) {
	tools := append(sample(), sample()[0])
	if list := mustPrepare(t, tools); len(list) != 4 || list[0].ID != "files:read_file" {
		t.Errorf("%d tools, the first %s", len(list), list[0].ID)
	}
	if list := mustPrepare(t, tools, "search_issues"); len(list) != 2 {
		t.Errorf("%d tools are called search_issues", len(list))
	}
	for text, call := range map[string]func() error{
		"at least two":               func() error { _, err := Prepare(tools[:1], nil); return err },
		`no tool is called "a", "b"`: func() error { _, err := Prepare(tools, []string{"b", "forecast", "a"}); return err },
		"with different content": func() error {
			_, err := Prepare(append(sample(), tool("files", "read_file", "Other.")), nil)
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("want %q, got %v", text, err)
		}
	}
	if _, err := Prepare(nil, nil); !errors.Is(err, ErrTooFew) {
		t.Error(err)
	}
}

func TestAnalyzeFlagsWhatIsAlike(t *testing.T) {
	tools := mustPrepare(t, sample())
	for _, method := range Methods {
		a, err := Analyze(t.Context(), tools, Options{Method: method, Threshold: 0.6, Encoder: hashEncoder{}, Recommendations: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Flagged) != 1 || a.Flagged[0].A != "github:search_issues" || a.Flagged[0].B != "gitlab:search_issues" || len(a.Recommendations) != 1 {
			t.Errorf("%s: %+v", method, a.Flagged)
		}
	}
}

// TestScoresDoNotDependOnOrder expects the same bytes for the same tools in any
// order.
func TestScoresDoNotDependOnOrder(t *testing.T) {
	tools := manyTools(60)
	for _, o := range []Options{{Method: TFIDF, Full: true}, {Method: DescriptionOverlap}, {Method: Embedding, Full: true, Encoder: hashEncoder{}}} {
		o.Threshold, o.Recommendations = 0.3, true
		var want string
		for round := range 4 {
			rand.New(rand.NewPCG(1, uint64(round))).Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
			a, err := Analyze(t.Context(), mustPrepare(t, tools), o)
			if err != nil {
				t.Fatal(err)
			}
			m, err := Overlap(t.Context(), mustPrepare(t, tools), o.Encoder, 0.3)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal([]any{a, m})
			if err != nil {
				t.Fatal(err)
			}
			if want == "" {
				want = string(text)
			}
			if string(text) != want {
				t.Fatalf("%s: another order gives another result", o.Method)
			}
		}
	}
}

func manyTools(n int) []Tool {
	r := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields("file issue branch invoice mail event image map user order report table queue build deploy secret note task page feed")
	var tools []Tool
	for i := range n {
		pick := func() string { return words[r.IntN(len(words))] }
		tools = append(tools, tool(fmt.Sprintf("s%d", i%7), fmt.Sprintf("%s_%s_%d", pick(), pick(), i),
			fmt.Sprintf("Handles each %s of a %s and returns the %s. Needs a %s.", pick(), pick(), pick(), pick()), pick(), pick()))
	}
	return tools
}

func TestMatrixIsSymmetricAndBounded(t *testing.T) {
	tools := mustPrepare(t, manyTools(40))
	m, err := Overlap(t.Context(), tools, hashEncoder{}, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tools {
		for j := range tools {
			if s := m.Matrix.At(i, j); s != m.Matrix.At(j, i) || s < 0 || s > 1 || i == j && s != 1 {
				t.Fatalf("%d, %d: %v and %v", i, j, s, m.Matrix.At(j, i))
			}
		}
	}
	order := slices.Sorted(slices.Values(m.Order))
	for i := range tools {
		if order[i] != i {
			t.Fatalf("the order %v is not a permutation", m.Order)
		}
	}
}

// TestTFIDFByHand compares with figures computed by hand: n = 3, "b" occurs in
// two texts, "c" and "d" in one.
func TestTFIDFByHand(t *testing.T) {
	m := newTFIDF([]string{"bb cc", "bb dd dd", ""}).matrix()
	ib, ic := math.Log(4.0/3)+1, math.Log(4.0/2)+1
	want := ib * ib / (math.Hypot(ib, ic) * math.Hypot(ib, 2*ic))
	if got := m.At(0, 1); math.Abs(got-want) > 1e-6 {
		t.Errorf("got %v, want %v", got, want)
	}
	if m.At(0, 2) != 0 {
		t.Errorf("a text without words scores %v", m.At(0, 2))
	}
}

func TestParameterMatrix(t *testing.T) {
	m := parameterMatrix([][]parameter{{{name: "a"}, {name: "b"}}, {{name: "b"}, {name: "c"}}, nil, nil})
	for _, tt := range []struct {
		i, j int
		want float64
	}{{0, 1, 1.0 / 3}, {0, 2, 0}, {2, 3, 1}} {
		if got := m.At(tt.i, tt.j); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%d, %d: %v, want %v", tt.i, tt.j, got, tt.want)
		}
	}
}

// TestClusterEqualsTheNaiveMethod compares the chain of nearest neighbours with
// the definition of average linkage.
func TestClusterEqualsTheNaiveMethod(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		n := 2 + r.IntN(12)
		m := newMatrix(n)
		for i := range m.cells {
			m.cells[i] = r.Float32()
		}
		var got []float64
		for _, x := range cluster(m).merges {
			got = append(got, Round(x.similarity))
		}
		if want := naive(m); !reflect.DeepEqual(got, want) {
			t.Fatalf("merges at %v, want %v", got, want)
		}
	}
}

func naive(m *Matrix) []float64 {
	groups := make([][]int, m.n)
	for i := range groups {
		groups[i] = []int{i}
	}
	var at []float64
	for len(groups) > 1 {
		best, x, y := -1.0, 0, 0
		for i := range groups {
			for j := range i {
				sum := 0.0
				for _, a := range groups[i] {
					for _, b := range groups[j] {
						sum += m.At(a, b)
					}
				}
				if s := sum / float64(len(groups[i])*len(groups[j])); s > best {
					best, x, y = s, i, j
				}
			}
		}
		at = append(at, Round(best))
		groups[y] = append(groups[y], groups[x]...)
		groups = slices.Delete(groups, x, x+1)
	}
	return at
}

func TestClusters(t *testing.T) {
	m := newMatrix(4)
	copy(m.cells, []float32{0.1, 0.9, 0.1, 0.1, 0.8, 0.1}) // 0-2 and 1-3
	tree := cluster(m)
	if got := fmt.Sprint(tree.groups(0.5), tree.groups(0.85), tree.order()); got != "[[0 2] [1 3]] [[0 2]] [0 2 1 3]" {
		t.Error(got)
	}
}

// A recommendation says what to change, and why, in every case.
func TestRecommendations(t *testing.T) {
	a, err := Analyze(t.Context(), mustPrepare(t, sample()), Options{Method: TFIDF, Threshold: 0.5, Recommendations: true})
	if err != nil || len(a.Recommendations) == 0 {
		t.Fatal(a, err)
	}
	for _, r := range a.Recommendations {
		if len(r.Issues) == 0 || len(r.Items) == 0 {
			t.Errorf("%+v", r)
		}
		for _, item := range r.Items {
			if item.Recommendation == "" || item.Rationale == "" || item.Priority == "" {
				t.Errorf("%+v", item)
			}
		}
	}
}

func TestIssues(t *testing.T) {
	long := "Finds open tickets, sorts tickets by priority and age, filters labels, and returns titles, authors and links."
	tools := mustPrepare(t, []Tool{
		tool("a", "find_tickets", long+" For example tickets of today.", "query", "label"),
		tool("b", "find_tickets", long+" For example tickets of today.", "query", "state"),
		tool("c", "get", "Same.", "x"), tool("d", "fetch", "Same.", "x"),
	})
	r := newRecommender(tools)
	kinds := func(i, j int) []IssueType {
		var list []IssueType
		for _, issue := range r.recommend(i, j, 1).Issues {
			list = append(list, issue.Type)
		}
		return list
	}
	if got := kinds(0, 1); !slices.Equal(got, []IssueType{ScopeClarity, ExampleDistinctiveness, ParameterUniqueness, NamingClarity, TerminologyOverlap}) {
		t.Error(got)
	}
	if got := kinds(2, 3); !slices.Equal(got, []IssueType{ScopeClarity, ExampleDistinctiveness, ParameterUniqueness}) {
		t.Error(got)
	}
	same := mustPrepare(t, []Tool{tool("a", "x", "Same."), tool("", "x", "Same.")})
	if items := newRecommender(same).recommend(0, 1, 1).Items; items[0].ToolID == nil && items[0].Priority != High {
		t.Errorf("%+v", items[0])
	}
}

func TestOptionsAreChecked(t *testing.T) {
	tools := mustPrepare(t, sample())
	for want, o := range map[string]Options{
		"there is no method":     {Method: "x", Threshold: 0.5},
		"one from 0 to 1":        {Method: TFIDF, Threshold: math.NaN()},
		"needs a sentence model": {Method: Embedding, Threshold: 0.5},
		"compares descriptions":  {Method: DescriptionOverlap, Threshold: 0.5, Full: true},
		"0 vectors for 4 texts":  {Method: Embedding, Threshold: 0.5, Encoder: badEncoder(nil)},
		"is not finite":          {Method: Embedding, Threshold: 0.5, Encoder: badEncoder{{1}, {2}, {float32(math.NaN())}, {1}}},
		"of 2 and 1 dimensions":  {Method: Embedding, Threshold: 0.5, Encoder: badEncoder{{1}, {2, 3}, {1}, {1}}},
	} {
		if _, err := Analyze(t.Context(), tools, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

type badEncoder [][]float32

// namedEncoder is a hashEncoder that says which model it is.
type namedEncoder struct{ hashEncoder }

func (namedEncoder) Identity() string { return "hash of words" }

func TestTheModelIsNamed(t *testing.T) {
	tools := []Tool{{ID: "a", Name: "a", Description: "one"}, {ID: "b", Name: "b", Description: "two"}}
	for _, tc := range []struct {
		method  Method
		encoder Encoder
		want    string
	}{{Embedding, namedEncoder{}, "hash of words"}, {Embedding, hashEncoder{}, ""}, {TFIDF, namedEncoder{}, ""}} {
		a, err := Analyze(t.Context(), tools, Options{Method: tc.method, Threshold: 0.5, Encoder: tc.encoder})
		if err != nil || a.EmbeddingModel != tc.want {
			t.Errorf("%v: %+v, %v", tc, a, err)
		}
	}
	m, err := Overlap(t.Context(), tools, namedEncoder{}, 0.5)
	if err != nil || m.EmbeddingModel != "hash of words" {
		t.Errorf("%+v, %v", m, err)
	}
}

func (e badEncoder) Embed(context.Context, []string) ([][]float32, error) { return e, nil }

func BenchmarkAnalyze(b *testing.B) {
	for _, n := range []int{100, 1000, 5000} {
		tools, err := Prepare(manyTools(n), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("tfidf/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Analyze(b.Context(), tools, Options{Method: TFIDF, Threshold: 0.85}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("overlap/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Overlap(b.Context(), tools, nil, 0.85); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The most similar pair is named even if it is below the threshold.
func TestNearestPair(t *testing.T) {
	tools := mustPrepare(t, []Tool{
		{ID: "a:read", Server: "a", Name: "read", Description: "Read a file from the disk"},
		{ID: "a:open", Server: "a", Name: "open", Description: "Open a file on the disk for reading"},
		{ID: "a:mail", Server: "a", Name: "mail", Description: "Send a letter to somebody"},
	})
	a, err := Analyze(t.Context(), tools, Options{Method: TFIDF, Threshold: 1})
	if err != nil || len(a.Flagged) != 0 || a.Nearest == nil || a.Nearest.A+" "+a.Nearest.B != "a:open a:read" || a.Nearest.Score <= 0 {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = Analyze(t.Context(), tools[:1], Options{Method: TFIDF, Threshold: 1}); err != nil || a.Nearest != nil {
		t.Errorf("%+v, %v", a, err)
	}
}
