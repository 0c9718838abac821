package graph

import (
	"fmt"
	"html"
	"strings"
)

// Measures of the drawing, in pixels.
const (
	boxWidth  = 190
	boxHeight = 52
	gapX      = 56
	gapY      = 22
	margin    = 16
)

// SVG returns the graph as an SVG image, with one column for each level. An edge
// leads from the right side of a box to the left side of each stage that reads it.
// The bar at the bottom of a box shows its time relative to that of the longest
// stage.
func (g *Graph) SVG() string {
	columns := map[int]int{} // boxes in a level
	levels, rows := 0, 0
	type place struct{ x, y int }
	at := map[string]place{}
	var longest int64 = 1
	for _, s := range g.Stages {
		at[s.Name] = place{margin + s.Level*(boxWidth+gapX), margin + columns[s.Level]*(boxHeight+gapY)}
		columns[s.Level]++
		levels, rows = max(levels, s.Level+1), max(rows, columns[s.Level])
		longest = max(longest, s.DurationMS)
	}

	width := 2*margin + levels*(boxWidth+gapX) - gapX
	height := 2*margin + rows*(boxHeight+gapY) - gapY
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="%s">`+"\n",
		width, height, width, height, html.EscapeString("pipeline "+g.Name))
	b.WriteString(`<style>rect.box{fill:#fff;stroke:#78869a}.hit rect.box{stroke:#2f8f5b}.miss rect.box{stroke:#c2762b}.bar{fill:#9fb4d0}path{fill:none;stroke:#9aa5b4;stroke-width:1.3}text{fill:#1d2733}.state{fill:#5b6778;font-size:11px}@media(prefers-color-scheme:dark){rect.box{fill:#1b222c}text{fill:#e6ebf2}.state{fill:#9aa7b8}}</style>` + "\n")
	for _, s := range g.Stages {
		to := at[s.Name]
		for _, a := range s.After {
			from := at[a]
			x1, y1, x2, y2 := from.x+boxWidth, from.y+boxHeight/2, to.x, to.y+boxHeight/2
			fmt.Fprintf(&b, `<path d="M%d %dC%d %d %d %d %d %d"/>`+"\n", x1, y1, x1+gapX/2, y1, x2-gapX/2, y2, x2, y2)
		}
	}

	for i := range g.Stages {
		s := &g.Stages[i]
		p, class := at[s.Name], "miss"
		if s.Hits == s.Instances {
			class = "hit"
		}

		lines := s.lines()
		fmt.Fprintf(&b, `<g class="%s"><rect class="box" x="%d" y="%d" width="%d" height="%d" rx="8"/>`, class, p.x,
			p.y, boxWidth, boxHeight)
		fmt.Fprintf(&b, `<rect class="bar" x="%d" y="%d" width="%d" height="4" rx="2"/>`, p.x+12, p.y+boxHeight-9,
			int64(boxWidth-24)*s.DurationMS/longest)
		fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text><text class="state" x="%d" y="%d">%s</text></g>`+"\n",
			p.x+12, p.y+20, html.EscapeString(lines[0]), p.x+12, p.y+36, html.EscapeString(lines[1]))
	}

	b.WriteString("</svg>\n")
	return b.String()
}
