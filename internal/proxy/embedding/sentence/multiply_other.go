//go:build !amd64

package sentence

// multiply computes out = x * panels, which are at most wide.
func multiply(out, x []float32, panels []panel) { multiplyEach(out, x, panels) }
