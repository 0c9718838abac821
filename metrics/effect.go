package metrics

// CohenDz is the effect size of paired differences: their mean over their
// standard deviation (Cohen, Statistical Power Analysis for the Behavioral
// Sciences, 2nd ed. 1988, section 2.3.5; named d_z by Lakens, Frontiers in
// Psychology 4:863, 2013). It measures how consistent a change is over queries,
// whatever the unit. If all differences are 0, d is 0. If they are equal and
// not 0, d is undefined and ok is false.
func CohenDz(differences []float64) (d float64, ok bool) {
	mean, sd := Mean(differences), StdDev(differences)
	switch {
	case sd > 0:
		return mean / sd, true
	case mean == 0:
		return 0, true
	}
	return 0, false
}
