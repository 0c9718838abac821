package label

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Second returns the part of a pool that a second judge gets: the pairs that the
// first one judged, of a share of the queries, 0 to 1. Which queries follows from
// their ids. It carries no grade of the first judge.
func Second(pool contracts.Pool, first map[string]map[contracts.ToolID]int, share float64) (contracts.Pool, error) {
	var items []contracts.PoolItem
	for _, item := range pool.Items {
		sum := sha256.Sum256([]byte("second\x00" + item.ID))
		if float64(binary.BigEndian.Uint64(sum[:8]))/(1<<64) >= share {
			continue
		}

		var tools []contracts.ToolID
		for _, id := range item.Tools {
			if _, judged := first[item.ID][id]; judged {
				tools = append(tools, id)
			}
		}

		if len(tools) > 0 {
			item.Tools = tools
			items = append(items, item)
		}
	}

	if len(items) == 0 {
		return pool, fmt.Errorf("the first judge labelled no pair of this part of the pool; give a larger share, or " +
			"the pool that was labelled")
	}

	pool.Items = items
	return pool, nil
}
