package metrics

// CohenDz is the effect size of paired differences: their mean over their
// standard deviation (Cohen, Statistical Power Analysis for the Behavioral
// Sciences, 2nd ed. 1988, section 2.3.5; named d_z by Lakens, Frontiers in
// Psychology 4:863, 2013). It says how consistent a change is over queries,
// whatever the unit. ok is false where all differences are equal, for which
// there is no such number unless they are 0, where it is 0.
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
