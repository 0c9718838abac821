package pipeline

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/cache"
)

// KeySchema is the version of the layout that is hashed into keys. It changes whenever a
// definition would otherwise get the same key with a different meaning.
const KeySchema = "touchstone-key-2"

// maxComponentValue is the maximum length in bytes of the shown value of a component. A longer
// value is represented only by its digest.
const maxComponentValue = 200

// ToolIdentity identifies a program that a command starts, by its name and the digest of its
// content: a different compiler or shell gives a different key.
type ToolIdentity struct {
	Name   string
	Digest cache.Digest
}

// InputPrefix is the prefix of the names of the components for inputs.
const InputPrefix = "input."

// KeyComponent is one named part of a key. Records store the components, so that a later miss
// can name the part that differs.
type KeyComponent struct {
	Name   string
	Digest cache.Digest
	// Value is a short printable form of the digested value. It is "" if the
	// value is sensitive, long, or content.
	Value string
}

// Key returns the named components of the instance's key, and the key over them. inputs holds
// the digests of the inputs' content by name, tools the identities of the programs that run.
//
// Everything that the command can observe is in the key. Settings that only determine when,
// where or how often it runs are not; keyExempt in the tests lists each such field with the
// reason. Every string is length-prefixed, and an absent value has no component, so that no
// two definitions have the same encoding.
//
// The component of an input is the digest of its content, so that an explanation of a miss can
// look up the earlier content. The path of an input is a separate component.
func (in *Instance) Key(inputs map[string]cache.Digest, tools []ToolIdentity) (cache.Key, []KeyComponent) {
	digests := make([]cache.Digest, len(in.Inputs))
	for i := range in.Inputs {
		digests[i] = inputs[in.Inputs[i].Name]
	}
	var k Keyer
	key := k.Key(in, digests, tools...)
	return key, k.Components()
}

// A Keyer computes the keys of many instances. The instances of a matrix have most components
// of their keys in common, and a Keyer hashes such a component once. Its zero value is ready
// to use. It is not safe for concurrent use.
type Keyer struct {
	// made holds the components of the last key, followed by those of earlier,
	// longer keys.
	made   []keyPart
	n      int    // number of components of the last key
	buf    []byte // the encoding of the current component
	hashed []byte // the input of the key's digest
	// sensitive is the flag of the last instance. It decides which values are
	// shown, and is not part of any encoding.
	sensitive bool
}

// keyPart is a component with the bytes that its digest was computed from.
type keyPart struct {
	KeyComponent
	encoded []byte // nil for a component whose digest was given
}

// Key returns the key of an instance, like Instance.Key. inputs holds the digests of its inputs
// in their order.
func (k *Keyer) Key(in *Instance, inputs []cache.Digest, tools ...ToolIdentity) cache.Key {
	if k.n = 0; k.sensitive != in.Sensitive {
		k.sensitive, k.made = in.Sensitive, k.made[:0]
	}

	k.text("schema", "", KeySchema)
	k.text("stage", "", in.Stage)
	for _, av := range in.Matrix {
		k.text("matrix.", av.Axis, av.Value)
	}

	k.list("command", in.Command, !in.Sensitive)
	if in.Stdin != "" {
		k.text("stdin", "", in.Stdin)
	}

	if in.Stdout != "" {
		k.text("stdout", "", in.Stdout)
	}

	if len(in.Inputs) > 0 {
		k.inputs(in.Inputs, inputs)
	}

	for i := range in.Outputs {
		out := &in.Outputs[i]
		k.begin()
		if out.Dir {
			// The path of a plain file never ends with a slash.
			k.buf = binary.AppendUvarint(k.buf, uint64(len(out.Path)+1))
			k.buf = append(append(k.buf, out.Path...), '/')
		} else {
			k.str(out.Path)
		}

		if c := k.end("output.", out.Name); c != nil {
			c.Value = out.Path
			if out.Dir {
				c.Value += "/"
			}

			c.Value = shown(c.Value, true)
		}
	}

	for _, e := range in.Env {
		k.begin()
		k.str(e.Value)
		if c := k.end("env.", e.Name); c != nil {
			c.Value = shown(e.Value, !in.Sensitive)
		}
	}

	if len(in.Passthrough) > 0 {
		k.list("passthrough", in.Passthrough, true)
	}

	for _, s := range in.Secrets {
		k.text("secret.", s.Name, s.From)
	}

	k.text("network", "", string(in.Network))
	if in.Image != "" {
		k.text("image", "", in.Image)
	}

	if in.Platform != "" {
		k.text("platform", "", in.Platform)
	}

	for _, t := range tools {
		k.given("tool.", t.Name, t.Digest)
	}

	return k.sum()
}

// Components lists the components of the last key.
func (k *Keyer) Components() []KeyComponent {
	components := make([]KeyComponent, k.n)
	for i := range components {
		components[i] = k.made[i].KeyComponent
	}
	return components
}

func (k *Keyer) begin() { k.buf = k.buf[:0] }

func (k *Keyer) str(s string) {
	k.buf = binary.AppendUvarint(k.buf, uint64(len(s)))
	k.buf = append(k.buf, s...)
}

// next returns the place of the next component, and whether the last key had a component with
// this name there.
func (k *Keyer) next(prefix, name string) (part *keyPart, same bool) {
	if k.n == len(k.made) {
		k.made = append(k.made, keyPart{})
	}
	part = &k.made[k.n]
	k.n++
	if rest, ok := strings.CutPrefix(part.Name, prefix); ok && rest == name {
		return part, true
	}
	part.Name = prefix + name
	return part, false
}

// end makes a component of the bytes encoded since begin. It returns the component, so that its
// Value can be set, or nil if the last key had the same component.
func (k *Keyer) end(prefix, name string) *KeyComponent {
	part, same := k.next(prefix, name)
	if same && part.encoded != nil && bytes.Equal(part.encoded, k.buf) {
		return nil
	}
	part.encoded = append(part.encoded[:0], k.buf...)
	part.Digest = sha256.Sum256(k.buf)
	part.Value = ""
	return &part.KeyComponent
}

// given adds a component whose digest is known.
func (k *Keyer) given(prefix, name string, d cache.Digest) {
	part, _ := k.next(prefix, name)
	part.Digest, part.Value, part.encoded = d, "", nil
}

func (k *Keyer) text(prefix, name, value string) {
	k.begin()
	k.str(value)
	if c := k.end(prefix, name); c != nil {
		c.Value = shown(value, true)
	}
}

func (k *Keyer) list(name string, values []string, show bool) {
	k.begin()
	total := 0
	for _, v := range values {
		k.str(v)
		total += len(v) + 1
	}
	if c := k.end(name, ""); c != nil && show && total <= maxComponentValue {
		c.Value = shown(quoteWords(values), true)
	}
}

// inputs adds the path of each input, then the content of each.
func (k *Keyer) inputs(inputs []Input, digests []cache.Digest) {
	k.begin()
	length := 0
	for i := range inputs {
		k.str(inputs[i].Name)
		k.str(inputs[i].Path)
		// A directory with one member and a plain file with the same content
		// already have different digests. The bit also distinguishes them for a
		// caller that computes digests differently.
		if inputs[i].Tree {
			k.buf = append(k.buf, 1)
		} else {
			k.buf = append(k.buf, 0)
		}

		length += len(inputs[i].Path) + 1
	}

	if c := k.end("inputs", ""); c != nil && length <= maxComponentValue {
		paths := make([]string, len(inputs))
		for i := range inputs {
			paths[i] = inputs[i].Path
		}

		c.Value = shown(strings.Join(paths, " "), true)
	}

	for i := range inputs {
		k.given(InputPrefix, inputs[i].Name, digests[i])
	}
}

// sum hashes the components and their names, in order.
func (k *Keyer) sum() cache.Key {
	k.hashed = k.hashed[:0]
	for i := range k.made[:k.n] {
		c := &k.made[i]
		k.hashed = binary.AppendUvarint(k.hashed, uint64(len(c.Name)))
		k.hashed = append(k.hashed, c.Name...)
		k.hashed = append(k.hashed, c.Digest[:]...)
	}
	return sha256.Sum256(k.hashed)
}

// shown returns the value in printable form: in one line and complete, or "".
func shown(value string, show bool) string {
	if !show || len(value) > maxComponentValue || !printable(value) {
		return ""
	}
	return value
}

func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] == 0x7f {
			return false
		}
		if s[i] >= utf8.RuneSelf {
			return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
		}
	}
	return true
}

// quoteWords joins arguments and only quotes those with spaces or quotes.
func quoteWords(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}

		if w == "" || strings.ContainsAny(w, " \t\n\"'\\") {
			b.WriteString(strconv.Quote(w))
		} else {
			b.WriteString(w)
		}
	}

	return b.String()
}
