package render

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// A plot is one line: an axis from Low to High, a band for the allowed range, a
// bar for the interval, a dot for the value, ticks for the values to compare
// with, and small dots for single runs.
type plot struct {
	Low, High float64
	Value     *float64
	Interval  *contracts.Interval
	Band      *contracts.Interval
	Zero      bool // a line at zero
	Baseline  *float64
	Bound     *float64
	Dots      []float64
	Label     string // read by a screen reader
}

const (
	plotWidth  = 240.0
	plotHeight = 22.0
	plotPad    = 6.0
)

// svg draws the plot. All of it is numbers except the label.
func (p plot) svg() template.HTML {
	x := func(v float64) float64 {
		if p.High <= p.Low {
			return plotWidth / 2
		}

		t := math.Max(0, math.Min(1, (v-p.Low)/(p.High-p.Low)))
		return math.Round((plotPad+t*(plotWidth-2*plotPad))*10) / 10
	}
	mid := plotHeight / 2
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plot" viewBox="0 0 %g %g" width="%g" height="%g" role="img" aria-label="%s">`,
		plotWidth, plotHeight, plotWidth, plotHeight, html.EscapeString(p.Label))
	if p.Band != nil {
		fmt.Fprintf(&b, `<rect class="band" x="%g" y="2" width="%g" height="%g"/>`, x(p.Band.Low),
			math.Max(1, x(p.Band.High)-x(p.Band.Low)), plotHeight-4)
	}

	fmt.Fprintf(&b, `<line class="axis" x1="%g" y1="%g" x2="%g" y2="%g"/>`, plotPad, mid, plotWidth-plotPad, mid)
	if p.Zero {
		fmt.Fprintf(&b, `<line class="zero" x1="%[1]g" y1="2" x2="%[1]g" y2="%g"/>`, x(0), plotHeight-2)
	}

	if p.Interval != nil {
		fmt.Fprintf(&b, `<rect class="interval" x="%g" y="%g" width="%g" height="6" rx="3"/>`, x(p.Interval.Low), mid-3,
			math.Max(2, x(p.Interval.High)-x(p.Interval.Low)))
	}

	for _, d := range p.Dots {
		fmt.Fprintf(&b, `<circle class="run" cx="%g" cy="%g" r="1.5"/>`, x(d), mid+7)
	}

	if p.Baseline != nil {
		fmt.Fprintf(&b, `<line class="baseline" x1="%[1]g" y1="%[2]g" x2="%[1]g" y2="%[3]g"/>`, x(*p.Baseline), mid-7,
			mid+7)
	}

	if p.Bound != nil {
		fmt.Fprintf(&b, `<line class="bound" x1="%[1]g" y1="%[2]g" x2="%[1]g" y2="%[3]g"/>`, x(*p.Bound), mid-8, mid+8)
	}

	if p.Value != nil {
		fmt.Fprintf(&b, `<circle class="value" cx="%g" cy="%g" r="4.5"/>`, x(*p.Value), mid)
	}

	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}
