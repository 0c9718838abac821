package trec

import (
	"encoding/binary"
	"math/bits"
)

// hashName is a hash of a name with one multiplication per eight bytes (in the
// manner of Wang Yi's wyhash). Names with equal hashes are compared in full, so
// a simple hash is enough.
func hashName(name []byte) uint32 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd1b54a32d192ed03
	hash := uint64(len(name)) * k0
	for len(name) > 8 {
		hash = fold(hash^binary.LittleEndian.Uint64(name), k1)
		name = name[8:]
	}
	var word uint64
	switch n := len(name); {
	case n == 8:
		word = binary.LittleEndian.Uint64(name)
	case n >= 4:
		word = uint64(binary.LittleEndian.Uint32(name)) | uint64(binary.LittleEndian.Uint32(name[n-4:]))<<32
	case n > 0:
		word = uint64(name[0]) | uint64(name[n/2])<<8 | uint64(name[n-1])<<16
	}
	return uint32(fold(hash^word, k0))
}

func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// nameTable maps hashes of names to numbers other than 0.
type nameTable struct {
	slots []uint64 // 0 if empty, otherwise the hash in the upper half and the number in the lower
}

// reset empties the table and makes room for n names.
func (t *nameTable) reset(n int) {
	size := 1 << bits.Len(uint(2*n))
	if size > cap(t.slots) {
		t.slots = make([]uint64, size)
		return
	}
	t.slots = t.slots[:size]
	clear(t.slots)
}

// put enters a number under a hash and returns 0. If there is a number already,
// it returns that and enters nothing. If the two names turn out to differ, the
// caller enters the new one under rehash of its hash.
func (t *nameTable) put(hash, number uint32) (earlier uint32) {
	mask := len(t.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			t.slots[i] = uint64(hash)<<32 | uint64(number)
			return 0
		}
		if uint32(s>>32) == hash {
			return uint32(s)
		}
	}
}

func rehash(hash uint32) uint32 { return hash*0x9e3779b1 + 1 }
