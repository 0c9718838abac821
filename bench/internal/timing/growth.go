package timing

import "math"

// Growth fits y = a*n^b by least squares over the logarithms and gives b, the
// growth exponent, with R², the share of the variance of log y that the line
// explains. It is the fit of Goldsmith, Aiken and Wilkerson, "Measuring
// Empirical Computational Complexity" (ESEC/FSE 2007, section 3). A constant
// part of y makes b smaller at small n; so it describes the measured range and
// is no bound. All numbers have to be positive; NaN comes of fewer than two
// different n.
func Growth(n, y []float64) (b, r2 float64) {
	var sx, sy float64
	for i := range n {
		sx += math.Log(n[i])
		sy += math.Log(y[i])
	}
	mx, my := sx/float64(len(n)), sy/float64(len(n))
	var xx, xy, yy float64
	for i := range n {
		dx, dy := math.Log(n[i])-mx, math.Log(y[i])-my
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	return xy / xx, xy * xy / (xx * yy)
}
