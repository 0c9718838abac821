package tripwire

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/bits"
	"slices"
	"sync"
)

// Tripwire is the shape of one well-known attack.
type Tripwire struct {
	// ID is CLASS.NAME, such as "override.earlier-instructions".
	ID string `json:"id"`
	// Severity is "critical", "high" or "medium". The first two stop a default
	// scan.
	Severity string `json:"severity"`
	// Threat is a threat type of a signal.
	Threat string `json:"threat"`
	What   string `json:"what"` // what the text does, to follow "the text ..."
	Why    string `json:"why"`  // why that is dangerous
	Do     string `json:"do"`   // what a maintainer should do
	// In limits the tripwire to the description ("description") or to the
	// texts of parameters ("parameter"). Empty means both.
	In string `json:"in,omitempty"`
	// NotIn lists the subjects of definitions in which the text is innocent: the
	// instructions of a server order its own tools.
	NotIn []string `json:"notIn,omitempty"`
	// Patterns are alternatives.
	Patterns []string `json:"patterns"`
	// Unless are patterns that make the sentence innocent.
	Unless []string `json:"unless,omitempty"`
	// NotFor lists what a tool's own business may be, in which the text is
	// innocent: names of Businesses.
	NotFor []string `json:"notFor,omitempty"`
	// Fires and Near are texts that do and do not trip it, at least two each.
	Fires []string `json:"fires"`
	Near  []string `json:"near"`

	// Shapes and Innocent are the compiled patterns.
	Shapes, Innocent []Pattern `json:"-"`
}

// Max is the largest number of tripwires, so that a person can read them all.
const Max = 80

//go:embed tripwires.json
var source []byte

// Set is all tripwires, compiled.
type Set struct {
	All []Tripwire
	// words maps each word of a pattern to the sets that hold it.
	words map[string]Classes
	// Fillers is the class of words that may stand between two elements.
	Fillers Class
	// anchors maps a class to the tripwires with a pattern that it is the rarest
	// class of.
	anchors map[Class]Bitset
}

// Bitset is a set of tripwires, by index.
type Bitset [2]uint64

// Union adds all of v.
func (w *Bitset) Union(v Bitset) {
	w[0] |= v[0]
	w[1] |= v[1]
}

// AnchoredBy returns the tripwires of which some pattern needs one of the
// classes most. A sentence matches no other tripwire.
func (s *Set) AnchoredBy(c *Classes) (w Bitset) {
	for k, wires := range s.anchors {
		if c.Has(k) {
			w.Union(wires)
		}
	}
	return w
}

// common are words of nearly every text. A class that has one is a poor anchor.
var common = []string{"all", "any", "every", "each", "no", "not", "never", "use", "first", "before", "the", "if",
	"when", "is", "are",
	"that", "this", "it", "what", "user", "must", "always", "required", "only", "file", "files", "name", "address",
	"text", "path", "set", "get", "list", "add",
	"output", "result", "results", "error", "errors", "read", "run", "other", "message", "messages", "type",
	"query", "provide", "need",
	"should"}

// costs estimates how often a text has a word of each class.
func (s *Set) costs() map[Class]int {
	costs := map[Class]int{}
	for word, in := range s.words {
		cost := 1
		if slices.Contains(common, word) {
			cost = 100
		}

		for i, set := range in {
			for ; set != 0; set &= set - 1 {
				costs[Class(64*i+bits.TrailingZeros64(set))] += cost
			}
		}
	}

	return costs
}

// anchor chooses the class of a pattern that sentences have least, and adds a
// tripwire to it.
func (s *Set) anchor(p *Pattern, wire int, costs map[Class]int) {
	best := p.Elements[0].Class
	for _, e := range p.Elements {
		if !e.IsKind() && (best < firstSet || costs[e.Class] < costs[best]) {
			best = e.Class
		}
	}
	w := s.anchors[best]
	w[wire>>6] |= 1 << (wire & 63)
	s.anchors[best] = w
}

// Get returns the tripwires of the embedded file. The first call compiles them.
var Get = sync.OnceValue(func() *Set {
	s, err := Parse(source)
	if err != nil {
		panic("tripwires.json: " + err.Error()) // the file is part of the program, and a test compiles it
	}
	return s
})

// Parse reads and compiles a file of tripwires: an object with "sets", lists of
// words by name, and "tripwires". It returns an error that names the tripwire
// and the element for a pattern that cannot be compiled.
func Parse(raw []byte) (*Set, error) {
	var file struct {
		Note      string              `json:"note"`
		Sets      map[string][]string `json:"sets"`
		Tripwires []Tripwire          `json:"tripwires"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, err
	}

	c := compiler{sets: file.Sets, ids: map[string]Class{},
		out: &Set{words: map[string]Classes{}, anchors: map[Class]Bitset{}}}
	var err error
	if c.out.Fillers, err = c.set("fillers"); err != nil {
		return nil, err
	}

	for _, t := range file.Tripwires {
		if t.Shapes, err = c.compile(t.Patterns); err == nil {
			t.Innocent, err = c.compile(t.Unless)
		}

		if err != nil {
			return nil, fmt.Errorf("tripwire %q: %w", t.ID, err)
		}

		for _, b := range t.NotFor {
			if _, ok := Businesses[b]; !ok {
				return nil, fmt.Errorf("tripwire %q: the business %q is unknown: add it to Businesses", t.ID, b)
			}
		}

		c.out.All = append(c.out.All, t)
	}

	if n := len(c.out.All); n > Max {
		return nil, fmt.Errorf("%d tripwires, at most %d: remove what finds least", n, Max)
	}

	costs := c.out.costs()
	for i := range c.out.All {
		for k := range c.out.All[i].Shapes {
			c.out.anchor(&c.out.All[i].Shapes[k], i, costs)
		}
	}

	return c.out, nil
}

// Words calls f for each word of the patterns, in no order.
func (s *Set) Words(f func(word string, in Classes)) {
	for w, c := range s.words {
		f(w, c)
	}
}
