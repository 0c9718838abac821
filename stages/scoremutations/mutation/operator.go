package mutation

import (
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// The families, in the order of reports.
const (
	Invisible  = "invisible"
	Visual     = "visual"
	Encoding   = "encoding"
	Cipher     = "cipher"
	Spelling   = "spelling"
	Placement  = "placement"
	Splitting  = "splitting"
	Markup     = "markup"
	ANSI       = "ansi"
	Language   = "language"
	Paraphrase = "paraphrase"
)

// Families lists them all.
var Families = []string{Invisible, Visual, Encoding, Cipher, Spelling, Placement, Splitting, Markup, ANSI, Language, Paraphrase}

// Mechanical says whether a family's operators keep the wording, so that a
// program can undo them. Those of the other two replace words.
func Mechanical(family string) bool { return family != Language && family != Paraphrase }

// Operator is one way to rewrite a passage.
type Operator struct {
	Family, Name string
	// HeldOut operators are unknown to those who develop detectors.
	HeldOut bool
	// Disguise marks an operator that no honest author of a tool has a use
	// for, so that flagging what it leaves is right whatever the text says.
	Disguise bool
	// Reads says why a model still reads the passage.
	Reads string
	// rewrite changes the draft; false when the operator does not apply.
	rewrite func(*draft) bool
}

// Development lists the operators that detectors may be developed with.
func Development() []Operator {
	return slices.Concat(invisible(), visual(), encodings(), ciphers(), spelling(), placement(), splitting(), markup(), ansi(), language(), paraphrase())
}

// HeldOut lists the operators that are held out: none unless the program is
// built with the tag heldout.
func HeldOut() []Operator { return heldOut() }

// Control is no operator but what all are to be held against: the passage is
// taken out. What is flagged without it is flagged for something else.
func Control() Operator {
	return Operator{Name: "without-passage", rewrite: func(d *draft) bool {
		d.remove()
		return true
	}}
}

// proseCategories are the attacks that consist of what a text says. The others
// are hidden or encoded already, or consist of what a schema takes.
var proseCategories = []string{
	contracts.CategoryToolPoisoning, contracts.CategoryPromptInjection, contracts.CategoryShadowing, contracts.CategoryRugPull,
}

// Eligible says whether an entry is one that operators are tried on: attacks by
// what they say, and innocents but for those that are innocent because their
// text announces what the schema takes, which an operator might hide.
func Eligible(e contracts.SecurityEntry) bool {
	if e.Label == contracts.LabelMalicious && !slices.Contains(proseCategories, e.Category) {
		return false
	}
	if e.HardNegativeFor == contracts.CategoryCapabilityMismatch {
		return false
	}
	_, ok := newDraft(definitionOf(e), nil)
	return ok
}

// Variant rewrites an entry. It gives one entry, or several when the operator
// spread the passage over several tools: the same text seen from each of them.
// ok is false when the operator has nothing to work on. The same seed, operator
// and entry id give the same bytes everywhere.
//
// What was approved earlier is rewritten in the same way where it has a
// passage, so that a rewritten update differs from what was approved by what
// the update changed.
func (o Operator) Variant(e contracts.SecurityEntry, seed int) (views []contracts.SecurityEntry, ok bool) {
	d, ok := newDraft(definitionOf(e), newRandom(seed, o.Name, e.ID))
	if !ok || !o.rewrite(d) {
		return nil, false
	}
	if a := e.Approved; a != nil {
		old := definitionOf(e)
		old.Description, old.InputSchema, old.OutputSchema = a.Description, a.InputSchema, a.OutputSchema
		if before, ok := newDraft(old, newRandom(seed, o.Name, e.ID)); ok && o.rewrite(before) {
			b := before.definition
			e.Approved = &contracts.Approved{Description: b.Description, InputSchema: b.InputSchema, OutputSchema: b.OutputSchema}
		}
	}
	id := e.ID
	e.ID = fmt.Sprintf("%s~%s", id, o.Name)
	e.Description, e.InputSchema, e.OutputSchema, e.Annotations = d.Description, d.InputSchema, d.OutputSchema, d.Annotations
	peers := e.Peers
	e.Peers = slices.Concat(peers, d.siblings)
	views = []contracts.SecurityEntry{e}
	self := contracts.Peer{Server: d.Server, Name: d.Name, Description: d.Description, InputSchema: d.InputSchema}
	for i, s := range d.siblings {
		v := e
		v.ID = fmt.Sprintf("%s~%s~%d", id, o.Name, i+2)
		v.Server, v.Name, v.Description, v.InputSchema = s.Server, s.Name, s.Description, s.InputSchema
		v.OutputSchema, v.Annotations, v.Approved = nil, nil, nil
		others := slices.Delete(slices.Clone(d.siblings), i, i+1)
		v.Peers = slices.Concat(peers, []contracts.Peer{self}, others)
		views = append(views, v)
	}
	return views, true
}
