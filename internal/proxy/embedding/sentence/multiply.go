package sentence

// multiplyEach computes out = x * panels, one panel after the other.
func multiplyEach(out, x []float32, panels []panel) {
	for i, p := range panels {
		multiplyPanel((*[panelWidth]float32)(out[i*panelWidth:]), x, p)
	}
}
