package scanner

import (
	"slices"
	"strings"
)

// RegistryView is all tools of a scan, indexed for checks that compare one
// with the others. It is built once and read by every worker.
type RegistryView struct {
	// Tools are in the order of the scan: sorted by content.
	Tools []*Tool
	// ToolsByName maps a name to the tools that carry it, over all servers.
	ToolsByName map[string][]*Tool
	// ToolNames are the distinct names, sorted.
	ToolNames []string

	approved   map[toolKey]*Tool
	bySkeleton map[string][]*Tool
	servers    map[string]bool  // lower case
	owns       map[toolKey]bool // by lower case server and skeleton
	near       nearIndex
	// drawnServers are the servers by what their names look like.
	drawnServers drawnNames
	// disguises says of each server what its name passes for: "" for nothing.
	disguises map[string]string
}

// Registry prepares tools for ScanOne.
func (s *Scanner) Registry(tools []Tool) *RegistryView {
	return s.registry(tools, sortedOrder(tools))
}

func (s *Scanner) registry(tools []Tool, order []int) *RegistryView {
	r := &RegistryView{
		Tools:        make([]*Tool, 0, len(tools)),
		ToolsByName:  make(map[string][]*Tool, len(tools)),
		approved:     s.baseline,
		bySkeleton:   make(map[string][]*Tool, len(tools)),
		servers:      map[string]bool{},
		owns:         make(map[toolKey]bool, len(tools)),
		drawnServers: drawnNames{},
	}
	last := ""
	for _, i := range order {
		t := &tools[i]
		r.Tools = append(r.Tools, t)
		if r.servers[strings.ToLower(t.Server)] = true; t.Server != last {
			last = t.Server
			r.drawnServers.add(last)
		}
		if t.Name == "" {
			continue
		}
		if r.ToolsByName[t.Name] == nil {
			r.ToolNames = append(r.ToolNames, t.Name)
		}
		r.ToolsByName[t.Name] = append(r.ToolsByName[t.Name], t)
	}
	r.disguises = disguises(r.Tools, r.drawnServers)
	slices.Sort(r.ToolNames)
	skeletons := make([]string, 0, len(r.ToolNames))
	for _, name := range r.ToolNames {
		sk := skeleton(name)
		if r.bySkeleton[sk] == nil {
			skeletons = append(skeletons, sk)
		}
		r.bySkeleton[sk] = append(r.bySkeleton[sk], r.ToolsByName[name]...)
		for _, t := range r.ToolsByName[name] {
			r.owns[toolKey{strings.ToLower(t.Server), sk}] = true
		}
	}
	r.near = buildNear(skeletons)
	return r
}

// Approved gives the tool as a baseline approved it, or nil.
func (r *RegistryView) Approved(server, name string) *Tool {
	if r == nil {
		return nil
	}
	return r.approved[toolKey{server, name}]
}

// nearIndex finds names one edit apart without comparing all pairs: two words
// are within one insertion, deletion, substitution or swap of neighbours only
// if deleting at most one letter of each leads to the same string.
type nearIndex struct {
	names []string
	keys  []nearKey
	// pairs holds the neighbours of every indexed name that has some, known
	// the names that were indexed.
	pairs map[string][]string
	known map[string]bool
}

type nearKey struct {
	hash uint64
	name int32
}

// minNear is the length below which names are too short for one edit to mean
// imitation, maxNear that beyond which nobody compares by eye.
const (
	minNear = 8
	maxNear = 64
)

func buildNear(names []string) nearIndex {
	x := nearIndex{names: names, pairs: map[string][]string{}, known: make(map[string]bool, len(names))}
	for i, name := range names {
		x.known[name] = true
		if len(name) < minNear || len(name) > maxNear {
			continue
		}
		x.keys = append(x.keys, nearKey{hashSkip(name, -1), int32(i)})
		for skip := range len(name) {
			x.keys = append(x.keys, nearKey{hashSkip(name, skip), int32(i)})
		}
	}
	slices.SortFunc(x.keys, func(a, b nearKey) int {
		if a.hash != b.hash {
			if a.hash < b.hash {
				return -1
			}
			return 1
		}
		return int(a.name) - int(b.name)
	})
	x.pair()
	return x
}

// maxGroup bounds the names that share a deletion: beyond it they are a
// numbered series, not imitations.
const maxGroup = 64

// pair finds the neighbours among the indexed names themselves: they stand
// side by side in the sorted keys.
func (x *nearIndex) pair() {
	for i := 0; i < len(x.keys); {
		j := i + 1
		for j < len(x.keys) && x.keys[j].hash == x.keys[i].hash {
			j++
		}
		if j-i > 1 && j-i <= maxGroup {
			for _, a := range x.keys[i:j] {
				for _, b := range x.keys[i:j] {
					p, q := x.names[a.name], x.names[b.name]
					if a.name != b.name && oneEdit(p, q) && !slices.Contains(x.pairs[p], q) {
						x.pairs[p] = append(x.pairs[p], q)
					}
				}
			}
		}
		i = j
	}
	for _, list := range x.pairs {
		slices.Sort(list)
	}
}

// hashSkip hashes s without the byte at skip (FNV-1a).
func hashSkip(s string, skip int) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		if i != skip {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
	}
	return h
}

// neighbours lists the names exactly one edit from name, sorted.
func (x *nearIndex) neighbours(name string) []string {
	if len(name) < minNear || len(name) > maxNear || len(x.keys) == 0 {
		return nil
	}
	if x.known[name] {
		return x.pairs[name]
	}
	var out []string
	for skip := -1; skip < len(name); skip++ {
		h := hashSkip(name, skip)
		i, _ := slices.BinarySearchFunc(x.keys, h, func(k nearKey, h uint64) int {
			if k.hash < h {
				return -1
			}
			if k.hash > h {
				return 1
			}
			return 0
		})
		for ; i < len(x.keys) && x.keys[i].hash == h; i++ {
			other := x.names[x.keys[i].name]
			if oneEdit(name, other) {
				out = append(out, other)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// oneEdit says whether a and b differ by exactly one insertion, deletion,
// substitution or swap of neighbours.
func oneEdit(a, b string) bool {
	if a == b || len(a)-len(b) > 1 || len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	switch {
	case len(a) > len(b):
		return a[i+1:] == b[i:]
	case len(a) < len(b):
		return a[i:] == b[i+1:]
	}
	return a[i+1:] == b[i+1:] ||
		i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// sameServer compares server names as a person would.
func sameServer(a, b string) bool { return a == b || strings.EqualFold(a, b) }
