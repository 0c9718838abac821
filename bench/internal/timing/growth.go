package timing

import "math"

// Growth fits y = a*n^b by least squares over the logarithms. It returns b, the growth
// exponent, and R², the share of the variance of log y that the line explains. The
// method is that of Goldsmith, Aiken and Wilkerson, "Measuring Empirical Computational
// Complexity" (ESEC/FSE 2007, section 3). A constant part of y reduces b at small n, so
// the fit describes the measured range and is not a bound. All numbers must be positive.
// With fewer than two different n the results are NaN.
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
