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

// Families lists all families.
var Families = []string{Invisible, Visual, Encoding, Cipher, Spelling, Placement, Splitting, Markup, ANSI, Language,
	Paraphrase}

// Mechanical reports whether the operators of a family keep the wording, so that
// a program can undo them. Those of the families Language and Paraphrase replace
// words.
func Mechanical(family string) bool { return family != Language && family != Paraphrase }

// Operator is one way to rewrite a passage.
type Operator struct {
	Family, Name string
	// HeldOut marks operators that are not used to develop detectors.
	HeldOut bool
	// Disguise marks an operator that no honest author of a tool would use,
	// so that flagging its result is right for any text.
	Disguise bool
	// Reads explains why a model can still read the passage.
	Reads string
	// rewrite changes the draft. It returns false if the operator does not
	// apply.
	rewrite func(*draft) bool
}

// Development lists the operators that may be used to develop detectors.
func Development() []Operator {
	return slices.Concat(invisible(), visual(), encodings(), ciphers(), spelling(), placement(), splitting(), markup(),
		ansi(), language(), paraphrase())
}

// HeldOut lists the held-out operators. There are none unless the program is
// built with the tag heldout.
func HeldOut() []Operator { return heldOut() }

// Control is the control for all operators: it removes the passage. An entry that
// is flagged without its passage is flagged for another reason.
func Control() Operator {
	return Operator{Name: "without-passage", rewrite: func(d *draft) bool {
		d.remove()
		return true
	}}
}

// proseCategories are the attacks that consist of text. The others are hidden or
// encoded already, or consist of the parameters of a schema.
var proseCategories = []string{
	contracts.CategoryToolPoisoning, contracts.CategoryPromptInjection, contracts.CategoryShadowing,
	contracts.CategoryRugPull,
}

// Eligible reports whether operators are applied to an entry: to attacks by text,
// and to benign entries. It excludes benign entries that are benign only because
// their text announces a parameter of the schema, which an operator might hide.
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

// Variant rewrites an entry. It returns one entry, or several if the operator
// spread the passage over several tools: one from the view of each tool. ok is
// false if the operator does not apply. The same seed, operator and entry id give
// the same bytes on every system.
//
// If the approved version has a passage, it is rewritten in the same way, so that
// the difference between a rewritten update and the approved version is still the
// change made by the update.
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
			e.Approved = &contracts.Approved{Description: b.Description, InputSchema: b.InputSchema,
				OutputSchema: b.OutputSchema}
		}
	}

	id := e.ID
	e.ID = fmt.Sprintf("%s~%s", id, o.Name)
	e.Description, e.InputSchema, e.OutputSchema, e.Annotations = d.Description, d.InputSchema, d.OutputSchema,
		d.Annotations
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
