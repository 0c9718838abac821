package main

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Sizes of the picture in pixels. The plot lies between the margins, and the legend to the
// right of it.
const (
	pictureWidth, pictureHeight = 860.0, 440.0
	left, right, top, bottom    = 60.0, 600.0, 20.0, 390.0
)

// colours are those of Okabe and Ito, which people with colour blindness can tell apart,
// without yellow. After the last one, lines are dashed.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"}

// line is recall against tokens of one system.
type line struct {
	name  string
	steps []contracts.CostCurveStep
}

// lines are those of the measured systems, from the highest recall to the lowest.
func lines(all []ranked) []line {
	var made []line
	for _, r := range all {
		if r.problem == nil && len(r.curve) > 0 {
			made = append(made, line{r.name, r.curve})
		}
	}

	last := func(l line) float64 { return l.steps[len(l.steps)-1].Recall }
	slices.SortStableFunc(made, func(a, b line) int {
		return cmp.Compare(last(b), last(a))
	})
	return made
}

// tick is the distance of the marks of an axis: 100, 200, 500 or a multiple of these by a
// power of ten, with eight marks at most.
func tick(most float64) float64 {
	for power := 100.0; ; power *= 10 {
		for _, step := range []float64{power, 2 * power, 5 * power} {
			if most <= 8*step {
				return step
			}
		}
	}
}

// picture draws the lines as an SVG image, with a dot for each number of results.
func picture(all []line) string {
	var mostTokens, mostRecall float64
	for _, l := range all {
		for _, s := range l.steps {
			mostTokens, mostRecall = max(mostTokens, s.Tokens), max(mostRecall, s.Recall)
		}
	}

	step := tick(mostTokens)
	mostTokens, mostRecall = math.Max(step, math.Ceil(mostTokens/step)*step), math.Max(.1, math.Ceil(mostRecall*10)/10)
	x := func(tokens float64) float64 { return left + tokens/mostTokens*(right-left) }
	y := func(recall float64) float64 { return bottom - recall/mostRecall*(bottom-top) }

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="13">`+
		"\n<title>Recall against tokens of the first 1 to %d results</title>\n"+
		`<rect width="100%%" height="100%%" fill="#fff"/>`+"\n", pictureWidth, pictureHeight, curveDepth)
	for tokens := 0.0; tokens <= mostTokens; tokens += step {
		fmt.Fprintf(&b, `<path d="M%.1f %g V%g" stroke="#ddd"/><text x="%.1f" y="%g" text-anchor="middle">%s</text>`+"\n",
			x(tokens), top, bottom, x(tokens), bottom+18, number(tokens, 0))
	}

	for tenth := 0; float64(tenth)/10 <= mostRecall+1e-9; tenth++ {
		recall := float64(tenth) / 10
		fmt.Fprintf(&b, `<path d="M%g %.1f H%g" stroke="#ddd"/><text x="%g" y="%.1f" text-anchor="end">%.1f</text>`+"\n",
			left, y(recall), right, left-8, y(recall)+4, recall)
	}

	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle">tokens of the first k results, k = 1 to %d</text>`+"\n",
		(left+right)/2, bottom+38, curveDepth)
	fmt.Fprintf(&b, `<text transform="translate(18 %g) rotate(-90)" text-anchor="middle">recall at k</text>`+"\n",
		(top+bottom)/2)
	for i, l := range all {
		style := fmt.Sprintf(`stroke=%q fill="none" stroke-width="2"`, colours[i%len(colours)])
		if i >= len(colours) {
			style += ` stroke-dasharray="5 3"`
		}

		points := make([]string, len(l.steps))
		for k, s := range l.steps {
			points[k] = fmt.Sprintf("%.1f,%.1f", x(s.Tokens), y(s.Recall))
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill=%q/>`, x(s.Tokens), y(s.Recall),
				colours[i%len(colours)])
		}

		at := top + 12 + 22*float64(i)
		fmt.Fprintf(&b, "\n"+`<polyline points=%q %s/>`+"\n", strings.Join(points, " "), style)
		fmt.Fprintf(&b, `<path d="M%g %g H%g" %s/><text x="%g" y="%g">%s</text>`+"\n", right+20, at, right+50, style,
			right+58, at+4, html.EscapeString(l.name))
	}

	return b.String() + "</svg>\n"
}
