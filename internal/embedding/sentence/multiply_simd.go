//go:build goexperiment.simd && amd64

package sentence

import "simd/archsimd"

var hasAVX = archsimd.X86.AVX()

// multiply computes out = x * panels, which are at most wide. It computes eight
// columns at a time, each like the portable implementation: the result is the
// same to the last bit. Products and sums are not fused.
func multiply(out, x []float32, panels []panel) {
	if !hasAVX || len(panels) != wide {
		for i, p := range panels {
			multiplyPanel((*[panelWidth]float32)(out[i*panelWidth:]), x, p)
		}
		return
	}
	var a0, a1, a2, a3 archsimd.Float32x8
	p0, p1, p2, p3 := panels[0][:len(x)], panels[1][:len(x)], panels[2][:len(x)], panels[3][:len(x)]
	for k, v := range x {
		s := archsimd.BroadcastFloat32x8(v)
		a0 = a0.Add(s.Mul(archsimd.LoadFloat32x8(&p0[k])))
		a1 = a1.Add(s.Mul(archsimd.LoadFloat32x8(&p1[k])))
		a2 = a2.Add(s.Mul(archsimd.LoadFloat32x8(&p2[k])))
		a3 = a3.Add(s.Mul(archsimd.LoadFloat32x8(&p3[k])))
	}
	a0.Store((*[panelWidth]float32)(out))
	a1.Store((*[panelWidth]float32)(out[panelWidth:]))
	a2.Store((*[panelWidth]float32)(out[2*panelWidth:]))
	a3.Store((*[panelWidth]float32)(out[3*panelWidth:]))
	archsimd.ClearAVXUpperBits()
}
