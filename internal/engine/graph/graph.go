// Package graph draws a plan with its outcomes: each stage is a box with its hits
// and times, and the edges are those of the plan. The instances of a matrix are one
// box with their number.
package graph

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Graph is a pipeline at the level of stages.
type Graph struct {
	Name   string  `json:"name"`
	Stages []Stage `json:"stages"`
}

// Stage is one box. DurationMS is the total execution time of the instances. Level
// is the length of the longest path from a stage that reads no other stage.
type Stage struct {
	Name      string `json:"name"`
	Instances int    `json:"instances"`
	Hits      int    `json:"hits"`
	// Off is the number of instances that are off. OnDemand reports whether the
	// stage only runs on demand.
	Off        int      `json:"off,omitempty"`
	OnDemand   bool     `json:"on_demand,omitempty"`
	DurationMS int64    `json:"duration_ms"`
	After      []string `json:"after"`
	Level      int      `json:"level"`
}

// Of returns the graph of the stages of a plan with its outcomes.
func Of(plan *pipeline.Plan, outcomes []*engine.Outcome) *Graph {
	g := &Graph{Name: plan.Name}
	index := map[string]int{}
	for i, in := range plan.Instances {
		at, ok := index[in.Stage]
		if !ok {
			at = len(g.Stages)
			index[in.Stage] = at
			g.Stages = append(g.Stages, Stage{Name: in.Stage, After: []string{}})
		}

		st := &g.Stages[at]
		st.Instances++
		st.OnDemand = in.OnDemand
		switch outcomes[i].State {
		case engine.Hit:
			st.Hits++
		case engine.Off:
			st.Off++
		}

		st.DurationMS += outcomes[i].Duration.Milliseconds()
		for _, u := range slices.Concat(in.Upstream, in.After) {
			up := plan.Instances[u].Stage
			if !slices.Contains(st.After, up) {
				st.After = append(st.After, up)
				st.Level = max(st.Level, g.Stages[index[up]].Level+1)
			}
		}
	}

	return g
}

// lines returns the text of a box.
func (s *Stage) lines() []string {
	count := ""
	if s.Instances > 1 {
		count = fmt.Sprintf(" x%d", s.Instances)
	}

	state := fmt.Sprintf("%d of %d hits", s.Hits, s.Instances)
	switch {
	case s.Off == s.Instances:
		state = "off"
	case s.OnDemand:
		state = "manual"
	case s.Hits == s.Instances-s.Off:
		state = "hit"
	case s.Hits == 0:
		state = "miss"
	}

	if s.DurationMS > 0 {
		state += ", " + (time.Duration(s.DurationMS) * time.Millisecond).String()
	}

	return []string{s.Name + count, state}
}

// DOT returns the graph in the DOT language of Graphviz.
func (g *Graph) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %q {\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n",
		g.Name)
	for i := range g.Stages {
		s := &g.Stages[i]
		fmt.Fprintf(&b, "  %q [label=%q];\n", s.Name, strings.Join(s.lines(), "\n"))
	}

	for _, s := range g.Stages {
		for _, a := range s.After {
			fmt.Fprintf(&b, "  %q -> %q;\n", a, s.Name)
		}
	}

	b.WriteString("}\n")
	return b.String()
}

// Mermaid returns the graph as a Mermaid flowchart.
func (g *Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	id := map[string]string{}
	for i := range g.Stages {
		s := &g.Stages[i]
		id[s.Name] = fmt.Sprintf("s%d", i)
		text := make([]string, 0, 2)
		for _, l := range s.lines() {
			text = append(text, html.EscapeString(l))
		}

		fmt.Fprintf(&b, "  %s[\"%s\"]\n", id[s.Name], strings.Join(text, "<br/>"))
	}

	for _, s := range g.Stages {
		for _, a := range s.After {
			fmt.Fprintf(&b, "  %s --> %s\n", id[a], id[s.Name])
		}
	}

	return b.String()
}
