package trec

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/touchstone-eval/touchstone/metrics"
)

// finder finds the ranks of the judged documents of a topic without sorting the
// list. Of thousands of results only few are judged, and the rank of one is one
// more than the number of results before it. A finder is reused for topic after
// topic.
type finder struct {
	text    *text
	results []entry
	names   nameTable
	hits    []hit
	// firstHit holds, for each judgement, one more than the index of its
	// result, or 0.
	firstHit []int
}

// hit is a judged result.
type hit struct {
	index     int // among the results in file order
	judgement int
}

// find finds the judged documents of a topic among its results. It stops at the
// first document that occurs twice, and returns it.
func (f *finder) find(results []entry, judged []Judgement) (twice *pair) {
	f.results, f.hits = results, f.hits[:0]
	f.firstHit = append(f.firstHit[:0], make([]int, len(judged))...)
	f.names.reset(len(results) + len(judged))
	for i, j := range judged {
		if j.Relevance < 0 {
			continue
		}
		hash := hashName([]byte(j.Document))
		for f.names.put(hash, uint32(i+1)) != 0 {
			hash = rehash(hash)
		}
	}
	for i := range results {
		e := &results[i]
		if earlier := f.names.put(e.hash, uint32(len(judged)+i+1)); earlier != 0 {
			if twice := f.meet(i, int(earlier)-1, judged); twice != nil {
				return twice
			}
		}
	}
	return nil
}

// meet handles a result whose name has the hash of another name. earlier is the
// index of a judgement, or, counted on from the last judgement, of an earlier
// result.
func (f *finder) meet(index, earlier int, judged []Judgement) *pair {
	e := f.results[index]
	name := f.text.nameAt(e.place)
	for hash := e.hash; ; {
		if earlier < len(judged) {
			if string(name) == judged[earlier].Document {
				break
			}
		} else if other := f.results[earlier-len(judged)].place; string(name) == string(f.text.nameAt(other)) {
			return &pair{e.place, other}
		}
		hash = rehash(hash)
		earlier = int(f.names.put(hash, uint32(len(judged)+index+1))) - 1
		if earlier < 0 {
			return nil
		}
	}
	if first := f.firstHit[earlier]; first > 0 {
		return &pair{e.place, f.results[first-1].place}
	}
	f.firstHit[earlier] = index + 1
	f.hits = append(f.hits, hit{index, earlier})
	return nil
}

// ranks returns the rank of each hit, best first.
func (f *finder) ranks(judged []Judgement) []metrics.Hit {
	if len(f.hits) == 0 {
		return nil
	}
	ranked := make([]metrics.Hit, len(f.hits))
	if f.inOrder() {
		for i, h := range f.hits {
			ranked[i] = metrics.Hit{Rank: h.index + 1, Relevance: judged[h.judgement].Relevance}
		}
		return ranked
	}
	slices.SortFunc(f.hits, func(a, b hit) int {
		return compareResults(f.results[a.index].score, judged[a.judgement].Document, f.results[b.index].score, judged[b.judgement].Document)
	})
	rank := 1
	for i, before := range f.countBefore(judged) {
		rank += before
		ranked[i] = metrics.Hit{Rank: rank, Relevance: judged[f.hits[i].judgement].Relevance}
	}
	return ranked
}

// inOrder reports whether each result has a lower score than the one before it,
// as in most files.
func (f *finder) inOrder() bool {
	for i := 1; i < len(f.results); i++ {
		if f.results[i].score >= f.results[i-1].score {
			return false
		}
	}
	return true
}

// countBefore counts, for each hit, the results that rank above it but below
// the previous hit. The hits must be in the order of their ranks.
func (f *finder) countBefore(judged []Judgement) []int {
	heights := make([]uint32, len(f.hits))
	for i, h := range f.hits {
		heights[i] = height(f.results[h.index].score)
	}
	before := make([]int, len(f.hits)+1)
	for i := range f.results {
		e := &f.results[i]
		// Find the first hit whose score is not higher, without a branch on
		// scores.
		h, first := height(e.score), 0
		for left := len(heights); left > 0; {
			half := int(uint(left+1) / 2)
			higher := (int64(h) - int64(heights[first+half-1])) >> 63 // -1 or 0
			first += half & int(higher)
			left -= half
		}
		if first < len(heights) && heights[first] == h {
			name := string(f.text.nameAt(e.place))
			first += sort.Search(len(heights)-first, func(i int) bool {
				return heights[first+i] < h || judged[f.hits[first+i].judgement].Document < name
			})
		}
		before[first]++
	}
	return before[:len(f.hits)]
}

// height maps scores to whole numbers of the same order.
func height(score float32) uint32 {
	bits := math.Float32bits(score + 0) // -0 is 0
	return bits ^ uint32(int32(bits)>>31) | ^bits&(1<<31)
}

// compareResults orders two results as trec_eval 9.0.7 does: by score, kept as
// a 32-bit float, highest first, and equal scores by the bytes of the id,
// highest first.
func compareResults(score float32, name string, otherScore float32, otherName string) int {
	if c := cmp.Compare(otherScore, score); c != 0 {
		return c
	}
	return cmp.Compare(otherName, name)
}
