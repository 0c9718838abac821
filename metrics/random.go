package metrics

import (
	"math/bits"
	"math/rand/v2"
)

// random is the generator for the bootstrap and the randomization test:
// PCG-DXSM with a fixed seed. Only its raw 64 bits are used, because the
// derived draws of math/rand/v2 may change between Go versions.
type random struct{ pcg *rand.PCG }

func newRandom(stream uint64) random {
	const seed = 0x746f756368737421
	return random{rand.NewPCG(seed, stream)}
}

func (r random) bits() uint64 { return r.pcg.Uint64() }

// below draws from 0..n-1. The bias of using the high word of the product is
// below n / 2^64, which is negligible here.
func (r random) below(n int) int {
	hi, _ := bits.Mul64(r.pcg.Uint64(), uint64(n))
	return int(hi)
}
