package quality

import (
	"hash/fnv"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
)

// Near-duplicates are found as Broder does ("On the resemblance and containment
// of documents", 1997): a text is the set of its runs of five characters, a
// signature of 64 minima estimates the resemblance of two sets, and texts whose
// signatures agree in a band of four are compared exactly.
const (
	runLength = 5
	bands     = 16
	bandWidth = 4
	// mostInBucket limits the comparisons of texts with one band, so that a file
	// of very similar texts takes no quadratic time.
	mostInBucket = 50
)

// pair is two texts by index, and the Jaccard coefficient of their runs.
type pair struct {
	first, second int
	resemblance   float64
}

// nearDuplicates returns the pairs of texts whose resemblance is at least the
// threshold, in the order of the texts. Texts without a word resemble none. A
// text that equals an earlier one is paired with the first of its equals only.
func nearDuplicates(texts []string, threshold float64) []pair {
	sets := make([][]uint64, len(texts))
	seen := map[[2]int]bool{}
	var pairs []pair
	type bucket struct {
		band int
		key  [bandWidth]uint64
	}
	buckets := map[bucket][]int{}
	equal := map[string]int{}
	for i, text := range texts {
		sets[i] = runs(text)
		if len(sets[i]) == 0 {
			continue
		}

		words := strings.Join(tokenize.Words(text), " ")
		if j, known := equal[words]; known {
			pairs = append(pairs, pair{j, i, 1})
			continue
		}

		equal[words] = i
		s := signature(sets[i])
		for band := range bands {
			b := bucket{band: band, key: [bandWidth]uint64(s[band*bandWidth:])}
			for _, j := range buckets[b] {
				if seen[[2]int{j, i}] {
					continue
				}

				seen[[2]int{j, i}] = true
				if r := jaccard(sets[j], sets[i]); r >= threshold {
					pairs = append(pairs, pair{j, i, r})
				}
			}

			if len(buckets[b]) < mostInBucket {
				buckets[b] = append(buckets[b], i)
			}
		}
	}

	slices.SortFunc(pairs, func(a, b pair) int {
		if a.first != b.first {
			return a.first - b.first
		}

		return a.second - b.second
	})
	return pairs
}

// runs returns the sorted hashes of the runs of characters of a text, whose
// words are joined by single blanks.
func runs(text string) []uint64 {
	marked := []rune(strings.Join(tokenize.Words(text), " "))
	if len(marked) == 0 {
		return nil
	}

	var set []uint64
	for from := 0; from == 0 || from+runLength <= len(marked); from++ {
		h := fnv.New64a()
		h.Write([]byte(string(marked[from:min(from+runLength, len(marked))])))
		set = append(set, h.Sum64())
	}

	slices.Sort(set)
	return slices.Compact(set)
}

func signature(set []uint64) (s [bands * bandWidth]uint64) {
	for i := range s {
		s[i] = ^uint64(0)
		for _, v := range set {
			s[i] = min(s[i], mix(v^uint64(i)*0x9e3779b97f4a7c15))
		}
	}
	return s
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
func mix(v uint64) uint64 {
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// jaccard is the size of the intersection of two sorted sets over that of their
// union.
func jaccard(a, b []uint64) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}

	return float64(common) / float64(len(a)+len(b)-common)
}
