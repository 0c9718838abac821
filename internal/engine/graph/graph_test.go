package graph_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/graph"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// diamond returns the graph a -> b (twice) -> d and a -> c -> d.
func diamond() *graph.Graph {
	in := func(stage string, up ...int) *pipeline.Instance {
		return &pipeline.Instance{Stage: stage, Upstream: up}
	}
	plan := &pipeline.Plan{Name: `dia<mond> & "co"`, Instances: []*pipeline.Instance{
		in("a"), in("b", 0), in("b", 0), in("c", 0), in("d", 1, 2, 3),
	}}
	var outcomes []*engine.Outcome
	for i, p := range plan.Instances {
		o := &engine.Outcome{Instance: p, State: engine.Hit, Duration: time.Duration(i) * time.Second}
		if i == 2 || i == 4 {
			o.State = engine.Miss
		}
		outcomes = append(outcomes, o)
	}
	return graph.Of(plan, outcomes)
}

func TestInstancesBecomeStages(t *testing.T) {
	g := diamond()
	want := []graph.Stage{
		{Name: "a", Instances: 1, Hits: 1, After: []string{}},
		{Name: "b", Instances: 2, Hits: 1, DurationMS: 3000, After: []string{"a"}, Level: 1},
		{Name: "c", Instances: 1, Hits: 1, DurationMS: 3000, After: []string{"a"}, Level: 1},
		{Name: "d", Instances: 1, DurationMS: 4000, After: []string{"b", "c"}, Level: 2},
	}
	for i, w := range want {
		got := g.Stages[i]
		if got.Name != w.Name || got.Instances != w.Instances || got.Hits != w.Hits || got.DurationMS != w.DurationMS ||
			got.Level != w.Level || strings.Join(got.After, " ") != strings.Join(w.After, " ") {
			t.Errorf("stage %d is %+v, want %+v", i, got, w)
		}
	}
}

func TestDrawings(t *testing.T) {
	g := diamond()
	for _, want := range []string{`"a" -> "b";`, `"b" -> "d";`, `b x2\n1 of 2 hits, 3s`} {
		if !strings.Contains(g.DOT(), want) {
			t.Errorf("no %s in\n%s", want, g.DOT())
		}
	}
	for _, want := range []string{"s0 --> s1", "s2 --> s3", `s1["b x2<br/>1 of 2 hits, 3s"]`} {
		if !strings.Contains(g.Mermaid(), want) {
			t.Errorf("no %s in\n%s", want, g.Mermaid())
		}
	}
	svg := g.SVG()
	if strings.Count(svg, `class="box"`) != 4 || strings.Count(svg, "<path") != 4 {
		t.Errorf("boxes or edges are missing:\n%s", svg)
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, svg)
		}
	}
}
