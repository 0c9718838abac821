package classifier

import (
	_ "embed"
	"encoding/binary"
	"math"
	"math/bits"
	"sync"

	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// The classifier is linear: the score of a sentence is the sum of the weights
// of its features. The weights come from logistic regression over labelled
// sentences (scanner/training). They are integers, so that a score is the same
// on every machine.

// Weights holds the trained weights: four bytes of hash and one of weight for
// each feature, sorted by hash.
//
//go:embed weights.bin
var Weights []byte

// Unit is the weight that equals 1 in log-odds.
const Unit = 24

// FeatureScale is the length to which a sentence's feature vector is
// normalised.
const FeatureScale = 8

// classifier looks up packed weights.
type classifier struct {
	// known has a bit for the upper bits of every feature's hash. Most pairs of
	// words are in no training set, and this table fits into a processor's
	// cache.
	known [1 << (knownBits - 6)]uint64
	// before counts the features before those of each word of known.
	before [1 << (knownBits - 6)]uint32
	packed []byte
	// meaning are the weights of concepts and senses, by place.
	meaning [meaningPlaces][meaningBits]int8
}

var theClassifier = sync.OnceValue(func() *classifier { return newClassifier(Weights) })

// Replace makes the classifier use other weights until restore is called. No
// tool may be scanned during the call. Without weights every sentence scores 0.
// Training and its tests use it.
func Replace(packed []byte) (restore func()) {
	saved, c := theClassifier, newClassifier(packed)
	theClassifier = func() *classifier { return c }
	return func() { theClassifier = saved }
}

const (
	RecordSize = 5  // bytes of one feature
	knownBits  = 19 // upper bits of a hash that known is indexed by
)

func newClassifier(packed []byte) *classifier {
	c := &classifier{packed: packed}
	word := uint32(0)
	for i := range uint32(len(packed) / RecordSize) {
		bit := binary.LittleEndian.Uint32(packed[i*RecordSize:]) >> (32 - knownBits)
		for ; word < bit>>6; word++ {
			c.before[word+1] = i
		}

		c.known[word] |= 1 << (bit & 63)
	}

	for place := range meaningPlaces {
		for bit := range meaningBits {
			if f := meaningFeature(place, bit); c.mayKnow(f) {
				c.meaning[place][bit] = int8(c.weight(f))
			}
		}
	}

	return c
}

// mayKnow reports whether a feature may have a weight.
func (c *classifier) mayKnow(f Feature) bool {
	bit := f >> (32 - knownBits)
	return c.known[bit>>6]>>(bit&63)&1 != 0
}

// weight returns the weight of a feature for which mayKnow is true.
func (c *classifier) weight(f Feature) token.Score {
	bit := f >> (32 - knownBits)
	// Features are sorted, and few share their upper bits.
	at := int(c.before[bit>>6]) + bits.OnesCount64(c.known[bit>>6]&(1<<(bit&63)-1))
	for list := c.packed[at*RecordSize:]; len(list) >= RecordSize; list = list[RecordSize:] {
		if g := Feature(binary.LittleEndian.Uint32(list)); g >= f {
			if g == f {
				return token.Score(int8(list[4]))
			}

			break
		}
	}

	return 0
}

// score is the sum of a sentence's weights, with its feature vector normalised
// to the length FeatureScale, because long sentences have more features.
func (c *classifier) score(x *sentenceFeatures) token.Score {
	sum, known := token.Score(0), 0
	for _, f := range x.words {
		if !c.mayKnow(f) {
			continue
		}

		if w := c.weight(f); w != 0 {
			sum += w
			known++
		}
	}

	for _, f := range x.list {
		if c.mayKnow(f) {
			sum += c.weight(f)
		}
	}

	for place := range meaningPlaces {
		w := &c.meaning[place]
		for set := uint64(x.concepts[place]); set != 0; set &= set - 1 {
			sum += token.Score(w[bits.TrailingZeros64(set)])
		}

		for set := uint64(x.senses[place]); set != 0; set &= set - 1 {
			sum += token.Score(w[64+bits.TrailingZeros64(set)])
		}
	}

	if (known+x.meant)*2 < x.tokens {
		sum = min(sum, 0) // the training data has nothing like it: a table, a cipher
	}

	return token.Score(math.Round(float64(sum) * FeatureScale / math.Sqrt(float64(x.count()))))
}

// Score sets the score of every sentence that the classifier judges.
func (z *Scorer) Score(v *tool.View) {
	c := theClassifier()
	z.stemName(v)
	z.readBusiness(v)
	for i := range v.Docs {
		d := &v.Docs[i]
		if d.Read || !v.Fields[d.Field].Classified() {
			continue
		}

		z.Stem(v, d)
		for k := d.Sen0; k < d.Sen1; k++ {
			if s := &v.Clauses[k]; s.Tok1 > s.Tok0 {
				s.Score = c.score(z.FeaturesOf(v, d, k))
			}
		}
	}
}
