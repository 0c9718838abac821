package trec

import (
	"encoding/binary"
	"hash/maphash"
)

// dictionary gives documents numbers in the order in which it meets them.
// Looking one up is most of the work of reading a run, and a Go map pays for it
// with three misses of the processor's cache; here a name lies beside its
// number, and a slot points there.
type dictionary struct {
	seed  maphash.Seed
	slots []slot
	// text holds a header and the name for each document.
	text  []byte
	names int
}

// slot is 0 when it is empty: above, 24 bits of the name's hash; below, in 40
// bits, where its header lies in text, plus one.
type slot uint64

const placeBits = 40

func newSlot(hash uint64, place int) slot {
	return slot(hash>>placeBits<<placeBits | uint64(place+1))
}

func (s slot) place() int { return int(s&(1<<placeBits-1)) - 1 }

func (s slot) mayBe(hash uint64) bool { return uint64(s)>>placeBits == hash>>placeBits }

// headerSize is the number and the length, four bytes each.
const headerSize = 8

func newDictionary(seed maphash.Seed) *dictionary {
	return &dictionary{seed: seed, slots: make([]slot, 1<<10)}
}

// find returns the slot of a name, an empty one when it is not known.
func (d *dictionary) find(name []byte, hash uint64) *slot {
	mask := uint64(len(d.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &d.slots[i]
		if *s == 0 {
			return s
		}
		if s.mayBe(hash) && string(d.name(s.place())) == string(name) {
			return s
		}
	}
}

func (d *dictionary) name(place int) []byte {
	length := int(binary.LittleEndian.Uint32(d.text[place+4:]))
	return d.text[place+headerSize : place+headerSize+length]
}

func (d *dictionary) numberAt(place int) uint32 { return binary.LittleEndian.Uint32(d.text[place:]) }

// lookup returns the number of a name.
func (d *dictionary) lookup(name []byte) (number uint32, known bool) {
	s := *d.find(name, maphash.Bytes(d.seed, name))
	if s == 0 {
		return 0, false
	}
	return d.numberAt(s.place()), true
}

// number returns the number of a name, a new one where it is not known.
func (d *dictionary) number(name []byte) uint32 {
	hash := maphash.Bytes(d.seed, name)
	s := d.find(name, hash)
	if *s != 0 {
		return d.numberAt(s.place())
	}
	number := uint32(d.names)
	d.names++
	*s = newSlot(hash, len(d.text))
	d.text = binary.LittleEndian.AppendUint32(d.text, number)
	d.text = binary.LittleEndian.AppendUint32(d.text, uint32(len(name)))
	d.text = append(d.text, name...)
	if d.names*4 > len(d.slots)*3 {
		d.grow()
	}
	return number
}

func (d *dictionary) grow() {
	old := d.slots
	d.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s != 0 {
			name := d.name(s.place())
			*d.find(name, maphash.Bytes(d.seed, name)) = s
		}
	}
}

// all lists the names by number.
func (d *dictionary) all() []string {
	names := make([]string, 0, d.names)
	text := string(d.text)
	for at := 0; at < len(text); {
		length := int(binary.LittleEndian.Uint32(d.text[at+4:]))
		at += headerSize
		names = append(names, text[at:at+length])
		at += length
	}
	return names
}

// unite takes in the names of other dictionaries and returns, for each of
// them, the number here of every number there.
func (d *dictionary) unite(others []*dictionary) [][]uint32 {
	numbers := make([][]uint32, len(others))
	for i, other := range others {
		numbers[i] = make([]uint32, 0, other.names)
		for _, name := range other.all() {
			numbers[i] = append(numbers[i], d.number([]byte(name)))
		}
	}
	return numbers
}
