package pipeline

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/cache"
)

// KeySchema is the version of the layout that is hashed into keys. It changes
// whenever the same definition would otherwise hash to the same key but mean
// something else.
const KeySchema = "touchstone-key-1"

// maxComponentValue is the length in bytes up to which a component's value is
// shown; what is longer is told apart by its digest alone.
const maxComponentValue = 200

// ToolIdentity is a program that a command starts, by name and by the digest
// of what it is: another compiler or shell is another key.
type ToolIdentity struct {
	Name   string
	Digest cache.Digest
}

// InputPrefix begins the names of the components that inputs make.
const InputPrefix = "input."

// KeyComponent is one named part of a key. Records keep the components, so
// that a later miss can name the part that differs.
type KeyComponent struct {
	Name   string
	Digest cache.Digest
	// Value is a short printable form of what was digested; "" when that is
	// sensitive, long, or content.
	Value string
}

// Key turns the instance, the digests of its inputs' content (by input name)
// and the identities of the tools it runs into named components and the key
// over them.
//
// Everything that the command can observe is in the key. What only says when,
// where or how often it is run is not; keyExempt in the tests lists each such
// field with its reason. Every string is length-prefixed and what is absent
// has no component at all, so that no two definitions share an encoding.
//
// The component of an input carries the content's digest as it was given:
// whoever explains a miss can look the earlier content up. Where inputs are
// put is a component of its own.
func (in *Instance) Key(inputs map[string]cache.Digest, tools []ToolIdentity) (cache.Key, []KeyComponent) {
	n := 8 + len(in.Matrix) + len(in.Inputs) + len(in.Outputs) + len(in.Env) + len(in.Secrets) + len(tools)
	k := keyWriter{components: make([]KeyComponent, 0, n)}
	k.text("schema", KeySchema)
	k.text("stage", in.Stage)
	for _, av := range in.Matrix {
		k.text("matrix."+av.Axis, av.Value)
	}
	k.list("command", in.Command, !in.Sensitive)
	if len(in.Inputs) > 0 {
		k.inputs(in.Inputs, inputs)
	}
	for _, out := range in.Outputs {
		path := out.Path
		if out.Dir {
			path += "/" // no path of a plain file ends so
		}
		k.text("output."+out.Name, path)
	}
	for _, e := range in.Env {
		k.begin()
		k.str(e.Value)
		k.end("env."+e.Name, shown(e.Value, !in.Sensitive))
	}
	if len(in.Passthrough) > 0 {
		k.list("passthrough", in.Passthrough, true)
	}
	for _, s := range in.Secrets {
		k.text("secret."+s.Name, s.From)
	}
	k.text("network", string(in.Network))
	if in.Image != "" {
		k.text("image", in.Image)
	}
	if in.Platform != "" {
		k.text("platform", in.Platform)
	}
	for _, t := range tools {
		k.components = append(k.components, KeyComponent{Name: "tool." + t.Name, Digest: t.Digest})
	}
	return k.sum(), k.components
}

// keyWriter collects components; buf is reused for all of them.
type keyWriter struct {
	components []KeyComponent
	buf        []byte
	array      [512]byte
}

func (k *keyWriter) begin() { k.buf = k.array[:0] }

func (k *keyWriter) str(s string) {
	k.buf = binary.AppendUvarint(k.buf, uint64(len(s)))
	k.buf = append(k.buf, s...)
}

func (k *keyWriter) end(name, value string) {
	k.components = append(k.components, KeyComponent{Name: name, Digest: sha256.Sum256(k.buf), Value: value})
}

func (k *keyWriter) text(name, value string) {
	k.begin()
	k.str(value)
	k.end(name, shown(value, true))
}

func (k *keyWriter) list(name string, values []string, show bool) {
	k.begin()
	total := 0
	for _, v := range values {
		k.str(v)
		total += len(v) + 1
	}
	value := ""
	if show && total <= maxComponentValue {
		value = quoteWords(values)
	}
	k.end(name, shown(value, show))
}

// inputs writes where each input is put, then the content of each.
func (k *keyWriter) inputs(inputs []Input, digests map[string]cache.Digest) {
	k.begin()
	length := 0
	for i := range inputs {
		k.str(inputs[i].Name)
		k.str(inputs[i].Path)
		// A directory of one member and a plain file of the same content
		// have different digests already; the bit keeps them apart even
		// for a caller that digests otherwise.
		if inputs[i].Tree {
			k.buf = append(k.buf, 1)
		} else {
			k.buf = append(k.buf, 0)
		}
		length += len(inputs[i].Path) + 1
	}
	value := ""
	if length <= maxComponentValue {
		var b strings.Builder
		b.Grow(length)
		for i := range inputs {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(inputs[i].Path)
		}
		value = b.String()
	}
	k.end("inputs", shown(value, true))
	for i := range inputs {
		k.components = append(k.components, KeyComponent{Name: InputPrefix + inputs[i].Name, Digest: digests[inputs[i].Name]})
	}
}

// sum hashes the components, in their order, with their names.
func (k *keyWriter) sum() cache.Key {
	h := sha256.New()
	for i := range k.components {
		c := &k.components[i]
		k.begin()
		k.str(c.Name)
		k.buf = append(k.buf, c.Digest[:]...)
		h.Write(k.buf)
	}
	var key cache.Key
	h.Sum(key[:0])
	return key
}

// shown is the value as it may be printed: in one line, whole or not at all.
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

// quoteWords joins arguments as a person would write them: quoted only where
// spaces or quotes would mislead.
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
