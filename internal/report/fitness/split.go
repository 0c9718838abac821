package fitness

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// development returns the queries that an optimiser may see: those with a right
// tool, and not those of the test split.
func development(golden contracts.GoldenSet) []contracts.Query {
	return slices.DeleteFunc(slices.Clone(golden.Queries), func(q contracts.Query) bool {
		return !q.Answerable() || golden.Split(q.ID) == contracts.SplitTest
	})
}

// split divides queries into the train half, which gets the given share, and
// the held-out half. The division depends on the seed and the ids of the
// queries, so that adding a query moves few of the others. Both halves keep the
// order of queries.
func split(queries []contracts.Query, seed uint64, share float64) (train, heldOut []contracts.Query) {
	type place struct {
		hash  [sha256.Size]byte
		query int
	}
	places := make([]place, len(queries))
	for i, q := range queries {
		text := binary.BigEndian.AppendUint64(nil, seed)
		places[i] = place{sha256.Sum256(append(text, q.ID...)), i}
	}

	slices.SortFunc(places, func(a, b place) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	inTrain := make([]bool, len(queries))
	for _, p := range places[:int(math.Round(share*float64(len(queries))))] {
		inTrain[p.query] = true
	}

	for i, q := range queries {
		if inTrain[i] {
			train = append(train, q)
		} else {
			heldOut = append(heldOut, q)
		}
	}

	return train, heldOut
}
