package scanner

import (
	_ "embed"
	"encoding/binary"
	"math"
	"math/bits"
	"sync"
)

// The classifier of sentences is a linear one: a sentence's score is the sum
// of the weights of its features, and the higher, the more it is like the
// sentences that attackers plant. The weights come from logistic regression
// over the labelled sentences in testdata/sentences (see classifier_train_test.go)
// and are whole numbers, so that a score is the same on every machine.

// classifierWeights is the trained weights: for each feature four bytes of
// hash and one of weight, in order of hashes.
//
//go:embed classifier_weights.bin
var classifierWeights []byte

// weightUnit is the weight of 1 in the logarithm of odds.
const weightUnit = 24

// featureScale is the length of the vector that a sentence's features make.
const featureScale = 8

// score is in units of 1/weightUnit of the logarithm of odds.
type score int32

// classifier holds weights for looking up: an open table, of which a feature's
// place is given by the lower bits of its hash.
type classifier struct {
	// known has a bit for the upper bits of every feature's hash. Most pairs of
	// words are in no training set, and this says so from what a processor
	// keeps near.
	known   [1 << (knownBits - 6)]uint64
	mask    uint32
	keys    []feature
	weights []int8
	// meaning are the weights of concepts and senses, by place.
	meaning [meaningPlaces][meaningBits]int8
}

var theClassifier = sync.OnceValue(func() *classifier { return newClassifier(classifierWeights) })

const (
	weightRecord = 5  // bytes of one feature
	knownBits    = 19 // of a hash, to tell what is not known
)

func newClassifier(packed []byte) *classifier {
	n := len(packed) / weightRecord
	size := 1 << bits.Len(uint(2*n))
	c := &classifier{mask: uint32(size - 1), keys: make([]feature, size), weights: make([]int8, size)}
	for i := range n {
		record := packed[i*weightRecord:]
		c.put(feature(binary.LittleEndian.Uint32(record)), int8(record[4]))
	}
	for place := range meaningPlaces {
		for bit := range meaningBits {
			c.meaning[place][bit] = int8(c.weight(meaningFeature(place, bit)))
		}
	}
	return c
}

func (c *classifier) put(f feature, weight int8) {
	at := uint32(f) & c.mask
	for c.keys[at] != 0 && c.keys[at] != f {
		at = (at + 1) & c.mask
	}
	c.keys[at], c.weights[at] = f, weight
	bit := f >> (32 - knownBits)
	c.known[bit>>6] |= 1 << (bit & 63)
}

func (c *classifier) weight(f feature) score {
	if bit := f >> (32 - knownBits); c.known[bit>>6]>>(bit&63)&1 == 0 {
		return 0
	}
	for at := uint32(f) & c.mask; c.keys[at] != 0; at = (at + 1) & c.mask {
		if c.keys[at] == f {
			return score(c.weights[at])
		}
	}
	return 0
}

// score is the sum of a sentence's weights, as if its features were a vector
// of length featureScale: long sentences have more of them.
func (c *classifier) score(x *sentenceFeatures) score {
	sum, known := score(0), 0
	for _, f := range x.words {
		if w := c.weight(f); w != 0 {
			sum += w
			known++
		}
	}
	for _, f := range x.list {
		sum += c.weight(f)
	}
	for place := range meaningPlaces {
		w := &c.meaning[place]
		for set := uint64(x.concepts[place]); set != 0; set &= set - 1 {
			sum += score(w[bits.TrailingZeros64(set)])
		}
		for set := uint64(x.senses[place]); set != 0; set &= set - 1 {
			sum += score(w[64+bits.TrailingZeros64(set)])
		}
	}
	if known*2 < x.tokens {
		sum = min(sum, 0) // nothing like it was learnt from: a table, a cipher
	}
	return score(math.Round(float64(sum) * featureScale / math.Sqrt(float64(x.count()))))
}

// score gives every sentence that the classifier judges its score.
func (v *ToolView) score() {
	c := theClassifier()
	v.stemName()
	for i := range v.docs {
		d := &v.docs[i]
		if d.read || !v.fields[d.field].classified() {
			continue
		}
		v.stem(d)
		for k := d.sen0; k < d.sen1; k++ {
			if s := &v.clauses[k]; s.tok1 > s.tok0 {
				s.score = c.score(v.features(d, k))
			}
		}
	}
}
