package tool

import (
	"strconv"
	"strings"
)

// Pointer returns the place of an original field in the definition as its server
// sent it, as a JSON Pointer (RFC 6901) such as "/inputSchema/properties/to/default".
// The place of a field that was joined from several is "".
func (v *View) Pointer(f *Field) string {
	at := int(f.Origin)
	if at < 0 || at >= len(v.Fields) {
		return ""
	}

	switch of := &v.Fields[at]; {
	case of.Kind == KindName && v.Subject == Resource:
		return "/uri"
	case of.Kind == KindName && v.Subject == ResourceTemplate:
		return "/uriTemplate"
	case of.Kind == KindName:
		return "/name"
	case of.Kind == KindDescription && v.Subject == Instructions:
		return "/instructions"
	case of.Kind == KindDescription:
		return "/description"
	}

	n := 0
	for _, text := range [...]string{v.Name, v.Description, v.Title} {
		if text != "" {
			n++
		}
	}

	if at < n {
		return "/title"
	}

	fields := make([]Field, n)
	for _, p := range partsOf(&v.Definition) {
		if len(p.raw) == 0 {
			continue
		}

		where := &path{want: at}
		if p.name != "" {
			where.enter(p.name)
		}

		w := jsonWalker{s: string(p.raw), fields: fields, output: p.output, kind: p.kind, forced: p.forced, path: where}
		w.value(p.role, 0)
		if where.found != "" {
			return where.found
		}

		fields = w.all()
	}

	return ""
}

// path follows a walk until it keeps the field with the index want. The methods
// of a nil path do nothing.
type path struct {
	want  int
	found string
	steps []step
}

// step is a member of an object, or an element of a list.
type step struct {
	key     string
	element int // -1 for a member
}

func (p *path) enter(key string) {
	if p != nil {
		p.steps = append(p.steps, step{key, -1})
	}
}

func (p *path) element(n int) {
	if p != nil {
		p.steps = append(p.steps, step{"", n})
	}
}

func (p *path) leave() {
	if p != nil {
		p.steps = p.steps[:len(p.steps)-1]
	}
}

func (p *path) kept(field int) {
	if p == nil || field != p.want || p.found != "" {
		return
	}

	var b strings.Builder
	for _, s := range p.steps {
		b.WriteByte('/')
		if s.element >= 0 {
			b.WriteString(strconv.Itoa(s.element))
			continue
		}

		b.WriteString(escapePointer.Replace(s.key))
	}

	p.found = b.String()
}

// EscapePointer escapes the characters of a name that a JSON Pointer uses itself.
func EscapePointer(name string) string { return escapePointer.Replace(name) }

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")
