package tool

import (
	"sync"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// maxCompared bounds the number of tools of one skeleton that a tool is
// compared with one by one.
const maxCompared = 256

// crowd indexes very many tools whose names have one skeleton, so that the cost
// of comparing each with the others is linear.
type crowd struct {
	few []*Definition
	// buckets group the tools by the hashes of their descriptions. Most crowds never need them.
	buckets func() map[bucket][]*Definition
}

// bucket is a group of tools with one value of one hash of their descriptions.
type bucket struct {
	which int
	value uint64
}

func newCrowd(tools []*Definition) *crowd {
	return &crowd{contrasting(tools), sync.OnceValue(func() map[bucket][]*Definition { return bucketsOf(tools) })}
}

func bucketsOf(tools []*Definition) map[bucket][]*Definition {
	buckets := map[bucket][]*Definition{}
	for _, t := range tools {
		for which, value := range char.MinHashes(t.Description) {
			key := bucket{which, value}
			buckets[key] = append(buckets[key], t)
		}
	}
	for key, list := range buckets {
		buckets[key] = contrasting(list)
	}
	return buckets
}

// similar lists the tools that have at least one hash in common with a
// description. Two descriptions with half of their words in common are found
// with a probability of 1 - 2^-16.
func (c *crowd) similar(description string) []*Definition {
	var out []*Definition
	buckets := c.buckets()
	for which, value := range char.MinHashes(description) {
		out = append(out, buckets[bucket{which, value}]...)
	}
	return out
}

// contrasting reduces tools to at most five. If a tool of the list is from
// another server than a given server and has another name than a given name,
// one of the five is as well.
func contrasting(tools []*Definition) []*Definition {
	if len(tools) <= 5 {
		return tools
	}

	a := tools[0]
	var elsewhere, otherwise []*Definition // on another server than a; of another name
	for _, t := range tools {
		if !SameServer(t.Server, a.Server) &&
			(len(elsewhere) == 0 || len(elsewhere) == 1 && elsewhere[0].Name != t.Name) {
			elsewhere = append(elsewhere, t)
		}

		if t.Name != a.Name && (len(otherwise) == 0 || len(otherwise) == 1 &&
			!SameServer(otherwise[0].Server, t.Server)) {
			otherwise = append(otherwise, t)
		}
	}

	return append(append([]*Definition{a}, elsewhere...), otherwise...)
}
