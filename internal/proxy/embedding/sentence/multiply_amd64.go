package sentence

import "golang.org/x/sys/cpu"

// multiply computes out = x * panels, which are at most wide. The result is the
// same to the last bit with and without AVX.
func multiply(out, x []float32, panels []panel) {
	if !cpu.X86.HasAVX || len(panels) != wide || len(x) == 0 {
		multiplyEach(out, x, panels)
		return
	}
	// These slices check the bounds, which multiplyAVX does not.
	first := [wide]*[panelWidth]float32{
		&panels[0][:len(x)][0], &panels[1][:len(x)][0], &panels[2][:len(x)][0], &panels[3][:len(x)][0],
	}
	multiplyAVX((*[wide * panelWidth]float32)(out), &x[0], len(x), &first)
}

// multiplyAVX computes out = x * panels with AVX instructions: 8 columns at a
// time, in the order of multiplyPanel. It does not fuse products and sums. x
// points to n > 0 numbers, and each of panels to n rows.
//
//go:noescape
func multiplyAVX(out *[wide * panelWidth]float32, x *float32, n int, panels *[wide]*[panelWidth]float32)
