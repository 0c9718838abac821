package tripwire

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
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

//go:embed tripwires.json
var source []byte

// Set is all tripwires, compiled.
type Set struct {
	All []Tripwire
	// words maps each word of a pattern to the sets that hold it.
	words map[string]Classes
	// Fillers is the class of words that may stand between two elements.
	Fillers Class
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
	c := compiler{sets: file.Sets, ids: map[string]Class{}, out: &Set{words: map[string]Classes{}}}
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
	return c.out, nil
}

// Of returns the sets that hold a lower-case word.
func (s *Set) Of(word []byte) Classes { return s.words[string(word)] }

// Words calls f for each word of the patterns, in no order.
func (s *Set) Words(f func(word string, in Classes)) {
	for w, c := range s.words {
		f(w, c)
	}
}
