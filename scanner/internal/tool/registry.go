package tool

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// Key names a tool, or something else of its server.
type Key struct{ Server, Name, Subject string }

// Key returns the key of a definition.
func (t *Definition) Key() Key { return Key{t.Server, t.Name, t.Subject} }

// Registry is all tools of a scan, indexed for checks that compare a tool with
// the others. It is built once and read by all workers.
type Registry struct {
	// tools are in the order of the scan: sorted by content.
	tools []*Definition
	// ByName maps a name to the tools with that name, over all servers.
	ByName map[string][]*Definition
	// Names are the distinct names, sorted.
	Names []string

	// first is the first tool of each server and name, by foldServer.
	first      map[Key]*Definition
	crowds     map[string]*crowd // by skeleton, those of more than maxCompared tools
	approved   map[Key]*Definition
	bySkeleton map[string][]*Definition
	servers    map[string]bool // lower case
	owned      map[Key]bool    // by lower case server and skeleton
	near       nearIndex
	// drawnServers indexes the servers by the appearance of their names.
	drawnServers lookalikeNames
	// disguises maps each server to the name that its own looks like: "" for
	// none.
	disguises map[string]string
}

// NewRegistry indexes tools, which are sorted by server first. approved are the
// approved versions of tools.
func NewRegistry(tools []*Definition, approved map[Key]*Definition) *Registry {
	r := &Registry{
		tools:        tools,
		ByName:       make(map[string][]*Definition, len(tools)),
		first:        make(map[Key]*Definition, len(tools)),
		crowds:       map[string]*crowd{},
		approved:     approved,
		bySkeleton:   make(map[string][]*Definition, len(tools)),
		servers:      map[string]bool{},
		owned:        make(map[Key]bool, len(tools)),
		drawnServers: lookalikeNames{},
	}
	last, folded := "", ""
	for _, t := range tools {
		if r.servers[strings.ToLower(t.Server)] = true; t.Server != last {
			last, folded = t.Server, foldServer(t.Server)
			r.drawnServers.add(last)
		}

		if t.Name == "" || t.Subject != "" {
			continue
		}

		if r.ByName[t.Name] == nil {
			r.Names = append(r.Names, t.Name)
		}

		r.ByName[t.Name] = append(r.ByName[t.Name], t)
		if key := (Key{Server: folded, Name: t.Name}); r.first[key] == nil {
			r.first[key] = t
		}
	}

	r.disguises = disguises(r.tools, r.drawnServers)
	slices.Sort(r.Names)
	skeletons := make([]string, 0, len(r.Names))
	for _, name := range r.Names {
		sk := char.Skeleton(name)
		if r.bySkeleton[sk] == nil {
			skeletons = append(skeletons, sk)
		}

		r.bySkeleton[sk] = append(r.bySkeleton[sk], r.ByName[name]...)
		for _, t := range r.ByName[name] {
			r.owned[Key{Server: strings.ToLower(t.Server), Name: sk}] = true
		}
	}

	for _, sk := range skeletons {
		if all := r.bySkeleton[sk]; len(all) > maxCompared {
			r.crowds[sk] = newCrowd(all)
		}
	}

	r.near = buildNear(skeletons)
	return r
}

// Approved returns the definition as the baseline approved it, or nil.
func (r *Registry) Approved(t *Definition) *Definition {
	if r == nil {
		return nil
	}
	return r.approved[t.Key()]
}

// OfServer returns the first tool of a server, in any case, with a name, or nil.
func (r *Registry) OfServer(server, name string) *Definition {
	return r.first[Key{Server: foldServer(server), Name: name}]
}

// maxPrefix bounds the prefix of a name, so that the cost of an endless name is constant.
const maxPrefix = 64

// Meant returns the tool of a server that a name means in a text of the server's tool own,
// or nil. A proxy prefixes the names of tools but not the texts that mention them, so the
// prefixes of own are tried: the text of github_get_issue says list_issues.
func (r *Registry) Meant(server, own, name string) *Definition {
	if len(r.ByName[name]) > 0 {
		if t := r.OfServer(server, name); t != nil {
			return t
		}
	}

	var buf [96]byte
	for i := range min(len(own), maxPrefix) {
		if char.IsWord(own[i]) {
			continue
		}

		full := append(append(buf[:0], own[:i+1]...), name...)
		if len(r.ByName[string(full)]) == 0 {
			continue
		}

		if t := r.OfServer(server, string(full)); t != nil {
			return t
		}
	}

	return nil
}

// WithSkeleton lists tools whose names have a skeleton: all, or, of more than
// maxCompared, enough that one of them is from another server and has another
// name than a given tool, if any is.
func (r *Registry) WithSkeleton(skeleton string) []*Definition {
	if c := r.crowds[skeleton]; c != nil {
		return c.few
	}
	return r.bySkeleton[skeleton]
}

// Respelled reports whether a tool has another name than this one, with the same skeleton.
func (r *Registry) Respelled(skeleton, name string) bool {
	tools := r.bySkeleton[skeleton] // by name
	return len(tools) > 0 && (tools[0].Name != name || tools[len(tools)-1].Name != name)
}

// Similar lists the tools whose names have a skeleton and whose descriptions a
// check compares with this one: all, or, of more than maxCompared, those that
// are probably similar. Copies of a name therefore cannot hide an original.
func (r *Registry) Similar(skeleton, description string) []*Definition {
	if c := r.crowds[skeleton]; c != nil {
		return c.similar(description)
	}
	return r.bySkeleton[skeleton]
}

// Owns reports whether a server has a tool whose name has a skeleton.
func (r *Registry) Owns(server, skeleton string) bool {
	return r.owned[Key{Server: strings.ToLower(server), Name: skeleton}]
}

// HasServer reports whether a tool belongs to the server, whose name is in
// lower case.
func (r *Registry) HasServer(name []byte) bool { return r.servers[string(name)] }

// IsPlain reports whether a server is in the registry and its name looks like
// no other. It is false for a nil registry.
func (r *Registry) IsPlain(server string) bool {
	if r == nil {
		return false
	}
	other, known := r.disguises[server]
	return known && other == ""
}

// ServerLike returns the name of another server that a name looks like, or "".
func (r *Registry) ServerLike(name string) string {
	if r == nil {
		return ""
	}
	return r.drawnServers.lookup(name)
}

// nearIndex finds names one edit apart without comparing all pairs: two words
// are within one insertion, deletion, substitution or swap of neighbours only
// if deleting at most one letter of each gives the same string.
type nearIndex struct {
	names []string
	// keys are the hashes of the names without one letter each, sorted. The last bits of a key are the index of its
	// name, and the others the first bits of the hash.
	keys     []uint64
	nameBits int
	// pairs holds the neighbours of each indexed name that has some.
	pairs map[string][]string
}

// minNear is the length below which one edit does not indicate imitation.
// maxNear is the length above which nobody compares names by eye.
const (
	minNear = 8
	maxNear = 64
)

func buildNear(names []string) nearIndex {
	x := nearIndex{names: names, nameBits: bits.Len(uint(len(names))), pairs: map[string][]string{}}
	n := 0
	for _, name := range names {
		n += 1 + len(name)
	}

	x.keys = make([]uint64, 0, n)
	for i, name := range names {
		if len(name) < minNear || len(name) > maxNear {
			continue
		}

		for skip := -1; skip < len(name); skip++ {
			x.keys = append(x.keys, x.first(name, skip)|uint64(i))
		}
	}

	slices.Sort(x.keys)
	x.pair()
	return x
}

// first returns the first key that a name without the letter at skip can have.
func (x *nearIndex) first(name string, skip int) uint64 {
	return hashSkip(name, skip) >> x.nameBits << x.nameBits
}

// sameHash reports whether the hashes of two keys are equal.
func (x *nearIndex) sameHash(a, b uint64) bool { return a>>x.nameBits == b>>x.nameBits }

// nameOf returns the name of a key.
func (x *nearIndex) nameOf(key uint64) string { return x.names[key&(1<<x.nameBits-1)] }

// maxGroup bounds the names that share a deletion: more of them are a numbered
// series, not imitations.
const maxGroup = 64

// pair finds the neighbours among the indexed names: they are adjacent in the
// sorted keys.
func (x *nearIndex) pair() {
	for i := 0; i < len(x.keys); {
		j := i + 1
		for j < len(x.keys) && x.sameHash(x.keys[i], x.keys[j]) {
			j++
		}

		if j-i > 1 && j-i <= maxGroup {
			for _, a := range x.keys[i:j] {
				for _, b := range x.keys[i:j] {
					p, q := x.nameOf(a), x.nameOf(b)
					if p != q && oneEdit(p, q) && !slices.Contains(x.pairs[p], q) {
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

// neighbours lists the names exactly one edit from name, sorted. known is set for one of the indexed names.
func (x *nearIndex) neighbours(name string, known bool) []string {
	if len(name) < minNear || len(name) > maxNear || len(x.keys) == 0 {
		return nil
	}

	if known {
		return x.pairs[name]
	}

	var out []string
	for skip := -1; skip < len(name); skip++ {
		first := x.first(name, skip)
		i, _ := slices.BinarySearch(x.keys, first)
		for ; i < len(x.keys) && x.sameHash(x.keys[i], first); i++ {
			if other := x.nameOf(x.keys[i]); oneEdit(name, other) {
				out = append(out, other)
			}
		}
	}

	slices.Sort(out)
	return slices.Compact(out)
}

// oneEdit reports whether a and b differ by exactly one insertion, deletion,
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

// SameServer compares server names, ignoring case.
func SameServer(a, b string) bool { return a == b || strings.EqualFold(a, b) }

// SameProduct reports whether two server names differ at most by a version at their
// end: calendar, calendar-2 and calendar_v3.
func SameProduct(a, b string) bool { return SameServer(product(a), product(b)) }

// product is the name of a server without its version.
func product(server string) string {
	digits := strings.TrimRight(server, "0123456789.")
	if digits == server {
		return server
	}
	marked := strings.TrimRight(digits, "vV")
	rest := strings.TrimRight(marked, "-_ ")
	if rest == "" || rest == marked {
		return server // a digit that belongs to the name, as in s3 and db2
	}
	return rest
}

// foldServer returns the same text for server names that SameServer holds for
// equal.
func foldServer(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// Compared lists the tools whose descriptions the checks compare with that of a
// tool: tools with the same name, however spelled, and with similar names.
func (r *Registry) Compared(t *Definition) []*Definition {
	sk := char.Skeleton(t.Name)
	all := slices.Concat(r.ByName[t.Name], r.ByName[strings.ToLower(t.Name)], r.bySkeleton[sk])
	for _, near := range r.NearNames(t.Name, sk) {
		all = append(all, r.bySkeleton[near]...)
	}
	return all
}

// NearNames lists the skeletons that a reader would confuse with this one.
func (r *Registry) NearNames(name, sk string) []string {
	out := slices.Clip(r.near.neighbours(sk, r.bySkeleton[sk] != nil))
	if !drawnAlike.In(name) {
		return out
	}

	// A capital I, a digit one and a small l look alike, and so do 0 and o.
	var buf [64]byte
	b := buf[:0]
	for i := 0; i < len(name); i++ {
		switch c := name[i]; c {
		case 'I', '1':
			b = append(b, 'l')
		case '0':
			b = append(b, 'o')
		case '5':
			b = append(b, 's')
		default:
			b = append(b, c)
		}
	}

	if alt := char.Skeleton(string(b)); alt != sk && r.bySkeleton[alt] != nil {
		out = append(out, alt)
	}

	return out
}

// lookalikeNames maps appearances to names, at most two each, because more give
// no further evidence.
type lookalikeNames map[string][]string

// add records a name. Names that differ only in case are one.
func (d lookalikeNames) add(name string) {
	key := char.LooksLike(name)
	for _, n := range d[key] {
		if SameServer(n, name) {
			return
		}
	}
	if len(d[key]) < 2 {
		d[key] = append(d[key], name)
	}
}

// lookup returns the name that another name looks like. The name in plain ASCII
// letters counts as the original and is never reported as disguised.
func (d lookalikeNames) lookup(name string) string {
	for _, n := range d[char.LooksLike(name)] {
		if SameServer(n, name) {
			continue
		}
		if char.IsASCII(name) &&
			(!char.IsASCII(n) || strings.ContainsAny(n, "015I") && !strings.ContainsAny(name, "015I")) {
			continue
		}
		return n
	}
	return ""
}

// disguises looks up every server once. tools are sorted by server.
func disguises(tools []*Definition, drawn lookalikeNames) map[string]string {
	out := map[string]string{}
	for i, t := range tools {
		if i > 0 && tools[i-1].Server == t.Server {
			continue
		}

		other := drawn.lookup(t.Server)
		if mixed, _, _ := char.MixedWords(t.Server); mixed > 0 && other == "" {
			other = t.Server
		}

		out[t.Server] = other
	}

	return out
}

// Elsewhere returns a tool of another server. tools are sorted by server.
func Elsewhere(tools []*Definition, server string) *Definition {
	if len(tools) == 0 {
		return nil
	}
	for _, t := range []*Definition{tools[0], tools[len(tools)-1]} {
		if !SameServer(t.Server, server) {
			return t
		}
	}
	return nil
}

// drawnAlike are characters of a name that look like another letter.
var drawnAlike = char.SetOf("I105")
