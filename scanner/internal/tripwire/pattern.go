package tripwire

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
)

// Class numbers a set of words. The kinds of entities come first.
type Class uint16

// Kinds of entities that a pattern names with #.
const (
	Credentials    Class = iota // a credential, or a file with some
	CredentialFile              // a file with credentials
	SystemFile                  // a file of the system, or a hidden one of the user's home
	ChatTag                     // a role or an end token of a chat template
	URL                         // the beginning of a URL
	Email                       // the beginning of an email address
	Path                        // a word of a path in the file system
	Tool                        // the name of a tool that is not this server's
	KnownTool                   // the same, of a tool in the scan
	Self                        // the name of this tool
	Command                     // the beginning of a harmful command
	Identifier                  // a name such as side_note, in backticks or not
	Amount                      // a number
	Callable                    // a name that may be another tool's, of this server or not
	Stranger                    // the same, but of no tool of this server
	Literal                     // the beginning of a quotation, or a number
	OtherParameter              // the quoted name of a parameter that this tool does not have
	firstSet
)

var kinds = map[string]Class{
	"credentials": Credentials, "credfile": CredentialFile, "systemfile": SystemFile, "chattag": ChatTag, "url": URL,
	"email": Email, "path": Path, "tool": Tool,
	"knowntool": KnownTool, "self": Self, "command": Command, "identifier": Identifier, "amount": Amount,
	"callable": Callable, "stranger": Stranger, "literal": Literal, "otherparameter": OtherParameter,
}

// Businesses are kinds of tools, by the meanings of their name and first
// sentence.
var Businesses = map[string]concept.Set{
	"conversations": concept.Conv | concept.History,
	"credentials":   concept.Secret | concept.CredPath,
	"prompts":       concept.Instr | concept.System,
	"deletion":      concept.Destroy,
	"payments":      concept.Pay,
	"commands":      concept.Shell,
	"memory":        concept.Memory,
	"safety":        concept.Guard | concept.Rule,
	"models":        concept.Model,
}

// Classes is a set of classes.
type Classes [14]uint64

// Add adds a class.
func (c *Classes) Add(k Class) { c[k>>6] |= 1 << (k & 63) }

// Has reports whether a class is in c.
func (c *Classes) Has(k Class) bool { return c[k>>6]&(1<<(k&63)) != 0 }

// Union adds all classes of d.
func (c *Classes) Union(d *Classes) {
	for i := range c {
		c[i] |= d[i]
	}
}

// Holds reports whether all classes of a list are in c.
func (c *Classes) Holds(list []Class) bool {
	for _, k := range list {
		if !c.Has(k) {
			return false
		}
	}
	return true
}

// Element is one element of a pattern.
type Element struct {
	Class Class
	// Imperative elements must be demanded of the reader, and Order elements
	// outside of the sentence with which a text opens.
	Imperative, Order bool
	// Gap is the number of words that may stand before it, or -1 if only
	// fillers may.
	Gap int
	// Last elements must be the last word of a sentence or of a clause.
	Last bool
}

// IsKind reports whether the element is a thing and not a word.
func (e *Element) IsKind() bool { return e.Class < firstSet }

// Pattern is a compiled pattern. Needs are the sets of words that a sentence
// must have to match; kinds of entities are not among them. Names is set if it
// must also have a name: an identifier, a quotation or a hyphen.
type Pattern struct {
	Elements []Element
	Needs    []Class
	Names    bool
}

const (
	defaultGap = 6
	maxGap     = 20
)

type compiler struct {
	sets map[string][]string
	ids  map[string]Class // of sets "@name" and of lists of words
	out  *Set
}

func (c *compiler) compile(sources []string) ([]Pattern, error) {
	var patterns []Pattern
	for _, s := range sources {
		p, gap := Pattern{}, -1
		for word := range strings.FieldsSeq(s) {
			if n, ok := strings.CutPrefix(word, ".."); ok {
				gap = defaultGap
				if n != "" {
					var err error
					if gap, err = strconv.Atoi(n); err != nil || gap < 1 || gap > maxGap {
						return nil, fmt.Errorf("in the pattern %q the gap %q is no number from 1 to %d", s, n, maxGap)
					}
				}

				continue
			}

			e := Element{Gap: gap}
			gap = -1
			word, e.Imperative = strings.CutPrefix(word, "!")
			word, e.Order = strings.CutPrefix(word, "!")
			word, e.Last = strings.CutSuffix(word, "$")
			var err error
			if e.Class, err = c.class(word); err != nil {
				return nil, fmt.Errorf("in the pattern %q: %w", s, err)
			}

			switch e.Class {
			case KnownTool, Self, Callable, Stranger, OtherParameter:
				p.Names = true
			}

			if !e.IsKind() {
				p.Needs = append(p.Needs, e.Class)
			}

			p.Elements = append(p.Elements, e)
		}

		if len(p.Needs) == 0 {
			return nil, fmt.Errorf("the pattern %q has no words: add one, or every sentence would be searched", s)
		}

		patterns = append(patterns, p)
	}

	return patterns, nil
}

func (c *compiler) class(element string) (Class, error) {
	if name, ok := strings.CutPrefix(element, "#"); ok {
		k, known := kinds[name]
		if !known {
			return 0, fmt.Errorf("the kind %q is unknown: see Kinds in pattern.go", element)
		}

		return k, nil
	}

	if name, ok := strings.CutPrefix(element, "@"); ok && !strings.Contains(name, "|") {
		return c.set(name)
	}

	var words []string
	for part := range strings.SplitSeq(element, "|") {
		name, isSet := strings.CutPrefix(part, "@")
		switch {
		case strings.HasPrefix(part, "#"):
			return 0, fmt.Errorf("%q mixes a kind with words: write one pattern for each", element)
		case !isSet:
			words = append(words, part)
		case c.sets[name] == nil:
			return 0, fmt.Errorf("the set %q is not in \"sets\"", "@"+name)
		default:
			words = append(words, c.sets[name]...)
		}
	}

	return c.number(element, words)
}

func (c *compiler) set(name string) (Class, error) {
	words, ok := c.sets[name]
	if !ok {
		return 0, fmt.Errorf("the set %q is not in \"sets\"", "@"+name)
	}
	return c.number("@"+name, words)
}

// number returns the class of a list of words, a new one for a new name.
func (c *compiler) number(name string, words []string) (Class, error) {
	if k, ok := c.ids[name]; ok {
		return k, nil
	}

	k := int(firstSet) + len(c.ids)
	if k >= 64*len(Classes{}) {
		return 0, fmt.Errorf("the patterns use more than %d different lists of words: share some as sets", len(c.ids))
	}

	c.ids[name] = Class(k)
	for _, w := range words {
		if w == "" || strings.ToLower(w) != w {
			return 0, fmt.Errorf("%q has an empty word or capitals", name)
		}

		if strings.ContainsAny(w, "-_./") {
			return 0, fmt.Errorf("%q is several words in a text: write them one after the other", w)
		}

		in := c.out.words[w]
		in.Add(Class(k))
		c.out.words[w] = in
	}

	return Class(k), nil
}
