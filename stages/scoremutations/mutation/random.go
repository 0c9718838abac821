package mutation

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// random draws numbers that depend only on the seed, the operator and the entry.
// It uses the raw output of the generator, because what math/rand/v2 derives from
// it may change with Go.
type random struct{ source *rand.PCG }

func newRandom(seed int, operator, entry string) *random {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s", seed, operator, entry))
	return &random{rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16]))}
}

// below returns a number from 0 to n-1.
func (r *random) below(n int) int {
	high, _ := bits.Mul64(r.source.Uint64(), uint64(n))
	return int(high)
}

func (r *random) pick(from ...string) string { return from[r.below(len(from))] }
