//go:build !(goexperiment.simd && amd64)

package sentence

// multiply computes out = x * panels, which are at most wide.
func multiply(out, x []float32, panels []panel) {
	for i, p := range panels {
		multiplyPanel((*[panelWidth]float32)(out[i*panelWidth:]), x, p)
	}
}
