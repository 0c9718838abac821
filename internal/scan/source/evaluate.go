package source

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
)

// value is a node and what the parameters and elements in it stand for.
type value struct {
	n *node
	e *env
}

// env binds parameters and elements to values.
type env struct {
	of   *node
	is   value
	next *env
	site *node // the call that binds them, or nil
}

func (e *env) get(of *node) (value, bool) {
	for ; e != nil; e = e.next {
		if e.of == of {
			return e.is, true
		}
	}
	return value{}, false
}

// called returns the call that leads to a definition, or nil.
func (e *env) called() *node {
	var site *node
	for ; e != nil; e = e.next {
		if e.site != nil {
			site = e.site
		}
	}
	return site
}

const (
	// maxSteps bounds the declarations that lead to a value.
	maxSteps = 40
	// maxWork bounds the steps of one definition.
	maxWork = 200_000
	// maxText bounds the length of a text in bytes. Constants can double it with each line.
	maxText = 1 << 20
	// maxElements bounds the elements of a list.
	maxElements = 10_000
)

// value follows names, members, imports and calls of functions of the project, until it
// is at a literal, an object, a list, a function, a class, or what it cannot see through.
func (p *project) value(n *node, e *env, depth int) value {
	at := value{n, e}
	for ; depth < maxSteps && at.n != nil; depth++ {
		if p.steps++; p.steps > maxWork {
			return at
		}

		next, ok := p.step(at, depth)
		if !ok {
			return at
		}

		at = next
	}

	return at
}

// step follows one name, member, import or call.
func (p *project) step(v value, depth int) (value, bool) {
	n := v.n
	switch n.form {
	case name:
		d := p.declared(n)
		if d == nil {
			return v, false
		}
		return value{d, v.e}, true
	case parameter, element:
		if bound, ok := v.e.get(n); ok {
			return bound, true
		}

		if n.form == parameter && n.x != nil && n.x.form != function {
			return value{n.x, v.e}, true // of its class
		}

		if p.blocked == nil {
			p.blocked, p.blockedIn = n, v.e
		}
	case imported:
		if t := p.target(n, depth+1); t != nil {
			return value{t, nil}, true
		}
	case member:
		return p.member(v, depth)
	case index:
		return p.index(v, depth)
	case call:
		return p.apply(v, depth)
	}

	return v, false
}

// declared returns what the name at n stands for, or nil.
func (p *project) declared(n *node) *node {
	if n.scope == nil {
		return nil
	}

	if n.file.language == inGo {
		p.parsePackage(dirOf(n.file.path))
	}

	if d, _ := n.scope.lookup(n.text); len(d) > 0 {
		return p.together(d)
	}

	for _, star := range n.file.stars {
		if n.file.language == inPython {
			if found := p.exported(p.pythonModule(n.file, star), n.text, 0); found != nil {
				return found
			}
		}
	}

	return nil
}

func dirOf(name string) string {
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		return name[:at]
	}
	return "."
}

func (p *project) member(v value, depth int) (value, bool) {
	of := p.value(v.n.x, v.e, depth+1)
	if of.n == nil {
		return v, false
	}

	if found, ok := p.memberOf(of, v.n.text, depth+1); ok {
		return found, true
	}

	if (of.n.form == literal || of.n.form == sum) && v.n.text == "value" { // of an enumeration
		return of, true
	}

	return v, false
}

// memberOf looks up a member of a value.
func (p *project) memberOf(of value, text string, depth int) (value, bool) {
	if depth > maxSteps {
		return of, false
	}

	switch n := of.n; n.form {
	case imported:
		if d := p.in(n, text, depth); d != nil {
			return value{d, nil}, true
		}
	case object:
		for i := len(n.args) - 1; i >= 0; i-- {
			a := n.args[i]
			switch {
			case a.spread:
				if found, ok := p.memberOf(p.value(a.value, of.e, depth+1), text, depth+1); ok {
					return found, true
				}
			case a.name == text:
				return value{a.value, of.e}, true
			case a.name == "" && a.key != nil:
				if key, ok := p.text(a.key, of.e, depth+1); ok && key == text {
					return value{a.value, of.e}, true
				}
			}
		}
	case class:
		return p.classMember(of, text, depth)
	case call:
		c := p.value(n.x, of.e, depth+1)
		if n.file.language == inGo || n.form == call && c.n != nil && c.n.form != class {
			if got := n.get(text); got != nil && n.module == "new" {
				return value{got, of.e}, true
			}
		}

		if c.n == nil || c.n.form != class {
			return of, false
		}

		if got := n.get(text); got != nil {
			return value{got, of.e}, true
		}

		for i, f := range c.n.fn.params {
			if f.name == text {
				if got := n.positional(i); got != nil && len(n.args) >= i {
					return value{got, of.e}, true
				}
			}
		}

		return p.classMember(value{c.n, of.e}, text, depth)
	case choice:
		for _, a := range n.args {
			if found, ok := p.memberOf(p.value(a.value, of.e, depth+1), text, depth+1); ok {
				return found, true
			}
		}
	}

	return of, false
}

func (p *project) classMember(of value, text string, depth int) (value, bool) {
	n := of.n
	if d := n.scope.decls[text]; len(d) > 0 {
		return value{p.together(d), of.e}, true
	}

	if n.file.language == inGo {
		if d := p.parsePackage(dirOf(n.file.path)).decls[n.text+"."+text]; len(d) > 0 {
			return value{p.together(d), of.e}, true
		}
	}

	for _, b := range n.fn.bases {
		if base := p.value(b, of.e, depth+1); base.n != nil && base.n != n && base.n.form == class {
			if found, ok := p.memberOf(base, text, depth+1); ok {
				return found, true
			}
		}
	}

	return of, false
}

func (p *project) index(v value, depth int) (value, bool) {
	if len(v.n.args) == 0 || v.n.args[0].value == nil {
		return v, false
	}

	of := p.value(v.n.x, v.e, depth+1)
	if of.n == nil {
		return v, false
	}

	at := v.n.args[0].value
	if i, err := strconv.Atoi(at.text); at.form == other && err == nil {
		if of.n.form == list && i >= 0 && i < len(of.n.args) && !of.n.args[i].spread {
			return value{of.n.args[i].value, of.e}, true
		}
		return v, false
	}

	if key, ok := p.text(at, v.e, depth+1); ok {
		return p.memberOf(of, key, depth+1)
	}

	return v, false
}

// unchanged are functions that return their argument, or change only its white space.
var unchanged = []string{"dedent", "cleandoc", "trim", "strip", "trimStart", "trimEnd", "lstrip", "rstrip", "TrimSpace",
	"freeze", "deepcopy", "copy", "RawMessage", "string", "byte", "Ptr", "must", "Must", "ToPtr", "toString", "cast",
	"defineTool", "asConst", "structuredClone", "bytes"}

// apply follows a call: of a function of the project to what it returns, or of a function
// that changes nothing to its argument.
func (p *project) apply(v value, depth int) (value, bool) {
	n := v.n
	if n.module == "new" {
		return v, false
	}

	called := n.called()
	if called == "require" || called == "import" {
		if arg := n.positional(0); arg != nil && arg.form == literal {
			return value{&node{form: imported, module: arg.text, line: n.line, file: n.file}, nil}, true
		}
	}

	f := p.value(n.x, v.e, depth+1)
	switch {
	case f.n == nil:
	case f.n.form == function:
		if len(f.n.fn.returns) == 1 {
			return value{f.n.fn.returns[0], p.bind(f, v)}, true
		}
		return v, false
	case f.n.form == class && n.file.language == inGo && len(n.args) == 1: // a conversion
		return value{n.args[0].value, v.e}, true
	case f.n.form == other && n.file.language == inGo && len(n.args) == 1 && n.x.form == other:
		return value{n.args[0].value, v.e}, true // []byte(x)
	case f.n.form == class:
		return v, false
	}

	switch {
	case isTranslator(called):
		if last := len(n.args) - 1; last >= 0 && p.allTexts(n, v.e, depth) {
			return value{n.args[last].value, v.e}, true
		}
	case slices.Contains(unchanged, called):
		if len(n.args) > 0 {
			return value{n.args[0].value, v.e}, true
		}
		if n.x.form == member {
			return value{n.x.x, v.e}, true
		}
	}

	return v, false
}

func (p *project) allTexts(n *node, e *env, depth int) bool {
	for _, a := range n.args {
		if _, ok := p.text(a.value, e, depth+1); !ok {
			return false
		}
	}
	return true
}

// bind returns the environment of a function that is called.
func (p *project) bind(f, c value) *env {
	e := f.e
	args := c.n.args
	i := 0
	for _, q := range f.n.fn.params {
		if q.node == nil || q.self {
			continue
		}

		bound := value{q.fallback, nil}
		switch {
		case q.rest:
			rest := &node{form: list, line: c.n.line, file: c.n.file}
			for ; i < len(args); i++ {
				if args[i].name == "" {
					rest.args = append(rest.args, args[i])
				}
			}

			bound = value{rest, c.e}
		case c.n.get(q.name) != nil && c.n.file.language == inPython:
			bound = value{c.n.get(q.name), c.e}
		case i < len(args) && args[i].name == "" && !args[i].spread:
			bound = value{args[i].value, c.e}
			i++
		}

		if bound.n != nil {
			e = &env{of: q.node, is: bound, next: e}
		}
	}

	return e
}

// text evaluates a text. If a part is computed, ok is false, and the text lacks it.
func (p *project) text(n *node, e *env, depth int) (text string, ok bool) {
	if n == nil || depth > maxSteps {
		return "", false
	}

	v := p.value(n, e, depth)
	if v.n == nil {
		return "", false
	}

	switch v.n.form {
	case literal:
		return v.n.text, true
	case template, sum:
		var b strings.Builder
		ok = true
		for _, a := range v.n.args {
			part, known := p.text(a.value, v.e, depth+1)
			if v.n.form == template && !known {
				if number := p.value(a.value, v.e, depth+1); isNumber(number.n) {
					part, known = number.n.text, true
				} else {
					part = "…"
				}
			}

			if ok = ok && known; b.Len()+len(part) > maxText {
				return b.String(), false
			}

			b.WriteString(part)
		}

		return b.String(), ok
	case call:
		return p.joined(v, depth)
	}

	return "", false
}

func isNumber(n *node) bool {
	return n != nil && n.form == other && len(n.args) == 0 && n.text != "" && n.text[0] >= '0' && n.text[0] <= '9'
}

// joined evaluates a call that joins texts.
func (p *project) joined(v value, depth int) (string, bool) {
	n := v.n
	if n.x == nil || n.x.form != member || len(n.args) == 0 && n.x.text != "join" {
		return "", false
	}

	texts, separator := n.x.x, n.positional(0)
	switch {
	case strings.EqualFold(n.x.text, "join") && slices.Contains([]string{"path", "filepath", "posix"}, n.x.x.last()):
		var parts []string
		for _, a := range n.args {
			part, known := p.text(a.value, v.e, depth+1)
			if !known || a.spread {
				return "", false
			}
			parts = append(parts, part)
		}
		return path.Join(parts...), true
	case n.x.text == "Join" && len(n.args) == 2:
		texts, separator = n.args[0].value, n.args[1].value
	case n.x.text == "concat":
		left, ok := p.text(n.x.x, v.e, depth+1)
		for _, a := range n.args {
			part, known := p.text(a.value, v.e, depth+1)
			left, ok = left+part, ok && known
		}
		return left, ok
	case n.x.text != "join":
		return "", false
	case n.file.language == inPython:
		texts, separator = separator, texts
	}

	between := ","
	if separator != nil {
		var ok bool
		if between, ok = p.text(separator, v.e, depth+1); !ok {
			return "", false
		}
	}

	elements, ok := p.elements(texts, v.e, depth+1)
	var list []string
	size := 0
	for _, el := range elements {
		part, known := p.text(el.n, el.e, depth+1)
		ok = ok && known
		list = append(list, part)
		if size += len(part); size > maxText {
			return "", false
		}
	}

	return strings.Join(list, between), ok
}

// elements lists the elements of a list. ok is false if some are computed.
func (p *project) elements(n *node, e *env, depth int) (found []value, ok bool) {
	if n == nil || depth > maxSteps {
		return nil, false
	}

	v := p.value(n, e, depth)
	if v.n == nil {
		return nil, false
	}

	ok = true
	add := func(n *node, e *env) {
		more, known := p.elements(n, e, depth+1)
		found, ok = append(found, more...), ok && known
	}
	switch v.n.form {
	case list:
		for _, a := range v.n.args {
			if a.spread {
				add(a.value, v.e)
			} else {
				found = append(found, value{a.value, v.e})
			}
		}
	case sum, choice:
		if p.active[v.n] {
			return nil, true // a list that is appended to itself
		}

		p.active[v.n] = true
		for _, a := range v.n.args {
			add(a.value, v.e)
		}

		delete(p.active, v.n)
	case object: // the keys, as a loop over a dictionary has
		for _, a := range v.n.args {
			if a.spread {
				add(a.value, v.e)
			} else {
				found = append(found, p.keyOf(a, v.e))
			}
		}
	case comprehension:
		return p.comprehended(v, v.n.args[1:], depth)
	case call:
		return p.elementsOfCall(v, depth)
	default:
		return nil, false
	}

	if len(found) > maxElements {
		return found[:maxElements], false
	}

	return found, ok
}

func (p *project) keyOf(a arg, e *env) value {
	if a.name != "" {
		return value{p.keyName(a), nil}
	}
	return value{a.key, e}
}

// comprehended lists the values of a comprehension for its loops.
func (p *project) comprehended(v value, loops []arg, depth int) (found []value, ok bool) {
	if len(loops) == 0 {
		return []value{{v.n.args[0].value, v.e}}, true
	}

	each, ok := p.elements(loops[0].value.x, v.e, depth+1)
	for _, el := range each {
		more, known := p.comprehended(value{v.n, &env{of: loops[0].value, is: el, next: v.e}}, loops[1:], depth+1)
		if found, ok = append(found, more...), ok && known; len(found) > maxElements {
			return found, false
		}
	}

	return found, ok
}

// elementsOfCall lists what a call of a function for lists returns.
func (p *project) elementsOfCall(v value, depth int) (found []value, ok bool) {
	n := v.n
	of := n.positional(0)
	if n.x != nil && n.x.form == member && (of == nil || of.form == function || n.x.text == "concat") {
		of = n.x.x
	}

	switch n.called() {
	case "map", "flatMap":
		fn := n.positional(0)
		if fn == nil || n.x.form != member {
			return nil, false
		}

		f := p.value(fn, v.e, depth+1)
		each, ok := p.elements(n.x.x, v.e, depth+1)
		if f.n == nil || f.n.form != function || len(f.n.fn.returns) != 1 || len(f.n.fn.params) == 0 {
			return nil, false
		}

		for _, el := range each {
			found = append(found, value{f.n.fn.returns[0], &env{of: f.n.fn.params[0].node, is: el, next: f.e}})
		}

		return found, ok
	case "values", "entries", "items":
		return p.entries(of, v.e, n.called() != "values", depth)
	case "keys":
		return p.elements(of, v.e, depth+1)
	case "filter", "sorted", "list", "sort", "slice", "tuple", "set", "Set", "reversed", "from", "flat", "enumerate",
		"Clone":
		return p.elements(of, v.e, depth+1)
	case "concat", "append", "Concat":
		ok = true
		if n.x.form == member && n.called() == "concat" {
			found, ok = p.elements(n.x.x, v.e, depth+1)
		}

		for i, a := range n.args {
			if i == 0 || a.spread || n.called() != "append" {
				more, known := p.elements(a.value, v.e, depth+1)
				found, ok = append(found, more...), ok && known
			} else {
				found = append(found, value{a.value, v.e})
			}
		}

		return found, ok
	}

	return nil, false
}

// entries lists the values of an object, or pairs of key and value. A list has its
// elements as values.
func (p *project) entries(n *node, e *env, pairs bool, depth int) (found []value, ok bool) {
	v := p.value(n, e, depth+1)
	if v.n == nil {
		return nil, false
	}

	if v.n.form != object {
		each, ok := p.elements(v.n, v.e, depth+1)
		for i, el := range each {
			if pairs {
				el = pair(value{&node{form: other, text: number(i), line: v.n.line, file: v.n.file}, nil}, el)
			}
			found = append(found, el)
		}
		return found, ok
	}

	ok = true
	for _, a := range v.n.args {
		if a.spread {
			more, known := p.entries(a.value, v.e, pairs, depth+1)
			found, ok = append(found, more...), ok && known
			continue
		}

		el := value{a.value, v.e}
		if pairs {
			el = pair(p.keyOf(a, v.e), el)
		}

		found = append(found, el)
	}

	return found, ok
}

// pair is a list of two values, which keep their environments.
func pair(a, b value) value {
	n := &node{form: list, line: b.n.line, file: b.n.file}
	e := (*env)(nil)
	for _, v := range [...]value{a, b} {
		held := &node{form: element, line: b.n.line, file: b.n.file}
		n.args = append(n.args, arg{value: held})
		e = &env{of: held, is: v, next: e}
	}
	return value{n, e}
}

// translators are functions that look up the translation of a text. The text itself is
// what the program says if it has none.
var translators = []string{"t", "T", "_", "tr", "gettext", "translate"}

func isTranslator(name string) bool { return slices.Contains(translators, name) }

// expand returns environments in which expressions are known, as far as calls of the
// functions that they are in and lists that their loops run over tell. Without any it
// returns e itself.
func (p *project) expand(e *env, depth int, of ...*node) []*env {
	if depth > maxExpansions {
		return []*env{e}
	}

	for _, n := range of {
		p.blocked = nil
		if _, ok := p.text(n, e, 0); ok || n == nil || p.blocked == nil {
			continue
		}

		var all []*env
		for _, alternative := range p.alternatives(p.blocked, e, depth+1) {
			if all = append(all, p.expand(alternative, depth+1, of...)...); len(all) > maxElements {
				break
			}
		}

		if len(all) > 0 {
			return all
		}
	}

	return []*env{e}
}

// maxExpansions bounds the calls and loops that lead to one definition.
const maxExpansions = 6

// alternatives lists what a parameter or an element can be: the arguments of the calls of
// its function, or the elements of its list.
func (p *project) alternatives(n *node, e *env, depth int) (list []*env) {
	if depth > maxExpansions {
		return nil
	}

	if n.form == element {
		p.blocked = nil
		each, _ := p.elements(n.x, e, 0)
		if len(each) == 0 && p.blocked != nil && p.blocked != n {
			for _, outer := range p.alternatives(p.blocked, e, depth+1) {
				list = append(list, p.alternatives(n, outer, depth+1)...)
			}

			return list
		}

		for _, el := range each {
			list = append(list, &env{of: n, is: el, next: e})
		}

		return list
	}

	f := n.x
	if f == nil || f.form != function {
		return nil
	}

	for _, c := range p.calls[f.text] {
		if f.text == "" || len(list) > maxElements {
			break
		}

		v := p.value(c.x, nil, 0)
		if v.n == nil || v.n != f && !(v.n.form == member && v.n.text == f.text && f.fn.class != nil) {
			continue
		}

		list = append(list, p.callsOf(value{f, e}, c, n, depth)...)
	}

	for _, c := range p.curried {
		if v := p.value(c.x, nil, 0); v.n == f {
			list = append(list, p.callsOf(v, c, n, depth)...)
		}
	}

	for _, d := range p.decorated {
		for _, decorator := range d.fn.decorators {
			if bound := p.decorates(f, decorator, d); bound != nil {
				list = append(list, bound)
			}
		}
	}

	return list
}

// callsOf binds the parameters of a function to the arguments of a call. The one for the
// parameter of may itself stand for several things.
func (p *project) callsOf(f value, c, of *node, depth int) (list []*env) {
	bound, _ := p.bind(f, value{c, nil}).get(of)
	for _, outer := range p.expand(bound.e, depth+1, bound.n) {
		site := outer.called()
		if site == nil {
			site = c
		}

		list = append(list, &env{next: p.bind(f, value{c, outer}), site: site})
	}

	return list
}

// decorates returns the environment of a function that is called by a decorator of d, or
// nil: it is the decorator, or what the decorator returns.
func (p *project) decorates(f, decorator, d *node) *env {
	if len(f.fn.params) == 0 || f.fn.params[0].node == nil {
		return nil
	}

	if v := p.value(decorator, nil, 0); v.n == f {
		return &env{of: f.fn.params[0].node, is: value{d, nil}, next: v.e, site: d}
	}

	return nil
}

// jsonTexts returns the texts of JSON in a literal with their lines in it, from 0. ok is
// false if it is none.
func jsonTexts(text string) (texts []Text, ok bool) {
	trimmed := strings.TrimSpace(text)
	if len(trimmed) < 2 || trimmed[0] != '{' || !json.Valid([]byte(trimmed)) {
		return nil, false
	}

	dec := json.NewDecoder(strings.NewReader(text))
	for {
		t, err := dec.Token()
		if err != nil {
			return texts, true
		}
		if s, isText := t.(string); isText && strings.TrimSpace(s) != "" {
			texts = append(texts, Text{Text: s, Line: strings.Count(text[:dec.InputOffset()], "\n")})
		}
	}
}
