package source

import (
	"encoding/json"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// project is a tree of source files that refer to one another. Files are parsed when
// somebody asks for them.
type project struct {
	files map[string]*file
	order []*file
	open  func(name string) ([]byte, error)

	goModules map[string]string // the path of each module by its directory
	npm       map[string]string // the directory of each package by its name
	inDir     map[string][]*file
	packages  map[string]*scope // of Go, by directory
	whole     map[string]bool   // packages of which all files are parsed
	python    map[string][]*file

	calls     map[string][]*node  // of all files, by the last name of what is called
	decorated []*node             // functions with decorators
	curried   []*node             // calls of what a call returns
	takes     map[*node][]handled // the types that the handlers of a tool of Go take
	taken     map[*node]bool      // structs that a tool takes
	emitted   map[emission]bool
	choices   map[*node]*node // of together, by the first
	keyNames  map[*node]*node // of keyName
	active    map[*node]bool  // choices whose elements are listed
	steps     int
	blocked   *node
	blockedIn *env
}

// emission is a definition by the places of its texts.
type emission struct{ name, description *node }

// file is a source file.
type file struct {
	path     string
	text     func() (string, error)
	source   string // that was read
	language language
	outside  bool
	parsed   bool
	root     *node
	scope    *scope
	imports  []string
	stars    []string // modules of which everything is imported or exported
	exports  map[string]*node
	calls    []*node

	problem, problemText string
	problemLine          int
	err                  error
}

// load reads the text of a file.
func (f *file) load() (text string, err error) {
	if f.source == "" {
		f.source, err = f.text()
	}
	return f.source, err
}

type language uint8

const (
	inGo language = iota + 1
	inPython
	inScript
)

var languages = map[string]language{
	".go": inGo, ".py": inPython,
	".ts": inScript, ".tsx": inScript, ".mts": inScript, ".cts": inScript,
	".js": inScript, ".jsx": inScript, ".mjs": inScript, ".cjs": inScript,
}

func languageOf(name string) language { return languages[strings.ToLower(path.Ext(name))] }

func newProject(files []File, open func(string) ([]byte, error)) *project {
	p := &project{
		files: map[string]*file{}, open: open, goModules: map[string]string{}, npm: map[string]string{},
		inDir: map[string][]*file{}, packages: map[string]*scope{},
		whole: map[string]bool{}, python: map[string][]*file{},
		takes: map[*node][]handled{}, taken: map[*node]bool{}, emitted: map[emission]bool{},
		choices: map[*node]*node{}, keyNames: map[*node]*node{}, active: map[*node]bool{},
	}
	for _, in := range files {
		name := path.Clean(in.Path)
		switch path.Base(name) {
		case "go.mod":
			if text, err := in.Text(); err == nil {
				p.goModules[path.Dir(name)] = modulePath(text)
			}

			continue
		case "package.json":
			var manifest struct{ Name string }
			if text, err := in.Text(); err == nil &&
				json.Unmarshal([]byte(text), &manifest) == nil && manifest.Name != "" {
				p.npm[manifest.Name] = path.Dir(name)
			}

			continue
		}

		f := &file{path: name, text: in.Text, language: languageOf(name),
			outside: in.Outside, exports: map[string]*node{}}
		if f.language == 0 || p.files[name] != nil {
			continue
		}

		p.files[name] = f
		p.order = append(p.order, f)
		p.inDir[path.Dir(name)] = append(p.inDir[path.Dir(name)], f)
		if f.language == inPython {
			base := strings.TrimSuffix(path.Base(name), path.Ext(name))
			if base == "__init__" {
				base = path.Base(path.Dir(name))
			}

			p.python[base] = append(p.python[base], f)
		}
	}

	return p
}

var moduleLine = lazyregexp.New(`(?m)^module\s+"?([^\s"]+)`)

func modulePath(text string) string {
	if m := moduleLine().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// parseAll parses the files that may define something. Files of Go share the scopes of their
// packages, and so are parsed one after the other.
func (p *project) parseAll() {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range p.order {
		if f.outside {
			continue
		}

		if f.language == inGo {
			p.parse(f)
			continue
		}

		if text, err := f.load(); err != nil || !telling().MatchString(text) {
			continue // it is parsed if another file imports it
		}

		g.Go(func() error {
			p.parse(f)
			return nil
		})
	}

	_ = g.Wait() // the functions return no errors
}

// telling are words that a file has if it defines or registers something.
var telling = lazyregexp.New(`[tT]ool|[pP]rompt|[rR]esource|mcp|MCP|[dD]escription`)

// parse parses a file, once.
func (p *project) parse(f *file) {
	if f.parsed {
		return
	}

	f.parsed = true
	f.root = &node{form: other, file: f, line: 1, fn: &body{}}
	f.scope = newScope(nil)
	text, err := f.load()
	if err != nil {
		return // the reader of the files reports it
	}

	f.source = ""

	switch f.language {
	case inGo:
		f.scope.parent = p.packageOf(path.Dir(f.path))
		parseGo(f, text)
	case inPython:
		parsePython(f, text)
	case inScript:
		parseTypeScript(f, text)
	}

	if p.calls != nil {
		p.note(f) // it is parsed late
	}
}

// note adds the calls of a file to the index.
func (p *project) note(f *file) {
	for _, c := range f.calls {
		if called := c.called(); called != "" {
			p.calls[called] = append(p.calls[called], c)
		} else if c.x != nil && c.x.form == call {
			p.curried = append(p.curried, c)
		}
	}

	if f.language == inPython {
		f.root.each(func(n *node) bool {
			if n.form == function && len(n.fn.decorators) > 0 {
				p.decorated = append(p.decorated, n)
			}
			return true
		})
	}
}

// packageOf returns the scope of a package of Go. Its files declare their names in it as
// they are parsed.
func (p *project) packageOf(dir string) *scope {
	s := p.packages[dir]
	if s == nil {
		s = newScope(nil)
		p.packages[dir] = s
	}
	return s
}

// parsePackage parses all files of a package of Go.
func (p *project) parsePackage(dir string) *scope {
	if p.whole[dir] {
		return p.packages[dir]
	}

	p.whole[dir] = true
	for _, f := range p.inDir[dir] {
		if f.language == inGo {
			p.parse(f)
		}
	}
	return p.packageOf(dir)
}

// goPackage returns the directory of an import path, or false if it is not in the project.
func (p *project) goPackage(module string) (string, bool) {
	for dir, root := range p.goModules {
		if root == "" || module != root && !strings.HasPrefix(module, root+"/") {
			continue
		}
		if at := path.Join(dir, strings.TrimPrefix(module, root)); len(p.inDir[at]) > 0 {
			return at, true
		}
	}
	return "", false
}

var scriptEndings = []string{"", ".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs", ".cts",
	"/index.ts", "/index.tsx",
	"/index.js", "/index.mjs"}

// script returns the file that a module of a script names, or nil.
func (p *project) script(from *file, module string) *file {
	if strings.HasPrefix(module, ".") {
		return p.scriptAt(path.Join(path.Dir(from.path), module))
	}

	for name, dir := range p.npm {
		if module != name && !strings.HasPrefix(module, name+"/") {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(module, name), "/")
		for _, at := range [...]string{path.Join(dir, "src", rest),
			path.Join(dir, rest), path.Join(dir, "src", "index")} {
			if f := p.scriptAt(at); f != nil {
				return f
			}
		}
	}

	// The aliases of a bundler, such as @/texts and ~/texts.
	first, rest, ok := strings.Cut(module, "/")
	if ok && slices.Contains([]string{"@", "~", "#", "src"}, first) {
		for dir := path.Dir(from.path); ; dir = path.Dir(dir) {
			for _, at := range [...]string{path.Join(dir, "src", rest), path.Join(dir, rest)} {
				if f := p.scriptAt(at); f != nil {
					return f
				}
			}
			if dir == "." || dir == "/" {
				break
			}
		}
	}

	return nil
}

func (p *project) scriptAt(at string) *file {
	without := at
	switch path.Ext(at) {
	case ".js", ".mjs", ".cjs", ".jsx":
		without = strings.TrimSuffix(at, path.Ext(at)) // TypeScript names what it is compiled to
	}
	for _, base := range [...]string{at, without} {
		for _, ending := range scriptEndings {
			if f := p.files[base+ending]; f != nil {
				return f
			}
		}
	}
	return nil
}

// pythonModule returns the file of a module, or nil.
func (p *project) pythonModule(from *file, module string) *file {
	if dots := len(module) - len(strings.TrimLeft(module, ".")); dots > 0 {
		dir := path.Dir(from.path)
		for range dots - 1 {
			dir = path.Dir(dir)
		}
		return p.pythonAt(path.Join(dir, strings.ReplaceAll(module[dots:], ".", "/")))
	}

	at := strings.ReplaceAll(module, ".", "/")
	var best *file
	most := -1
	for _, f := range p.python[path.Base(at)] {
		name := strings.TrimSuffix(strings.TrimSuffix(f.path, ".py"), "/__init__")
		if name != at && !strings.HasSuffix(name, "/"+at) {
			continue
		}
		if n := shared(f.path, from.path); n > most {
			best, most = f, n
		}
	}

	return best
}

func (p *project) pythonAt(at string) *file {
	if f := p.files[at+".py"]; f != nil {
		return f
	}
	return p.files[path.Join(at, "__init__.py")]
}

// shared counts the directories at the beginning of both paths.
func shared(a, b string) int {
	x, y := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// exported returns what a file declares under a name for others, or nil.
func (p *project) exported(f *file, symbol string, depth int) *node {
	if f == nil || depth > maxSteps {
		return nil
	}

	p.parse(f)
	if n := f.exports[symbol]; n != nil {
		return n
	}

	if all := f.exports[""]; all != nil { // of CommonJS
		if symbol == "default" {
			return all
		}
		return &node{form: member, text: symbol, x: all, line: all.line, file: f}
	}

	if d := f.scope.decls[symbol]; len(d) > 0 {
		return p.together(d)
	}

	for _, star := range f.stars {
		var from *file
		if f.language == inPython {
			from = p.pythonModule(f, star)
		} else {
			from = p.script(f, star)
		}
		if n := p.exported(from, symbol, depth+1); n != nil {
			return n
		}
	}

	return nil
}

// together is what a name stands for to which several things are assigned. It is one node as
// long as nothing more is assigned.
func (p *project) together(list []*node) *node {
	if len(list) == 1 {
		return list[0]
	}

	if n := p.choices[list[0]]; n != nil && len(n.args) == len(list) {
		return n
	}

	n := &node{form: choice, line: list[0].line, file: list[0].file}
	for _, d := range list {
		n.args = append(n.args, arg{value: d})
	}

	p.choices[list[0]] = n
	return n
}

// keyName is the name of a member as a literal, the same one each time.
func (p *project) keyName(a arg) *node {
	if a.key != nil && a.key.form == literal {
		return a.key
	}

	of := a.key
	if of == nil {
		of = a.value
	}

	n := p.keyNames[of]
	if n == nil {
		n = &node{form: literal, text: a.name, line: of.line, file: a.value.file}
		p.keyNames[of] = n
	}

	return n
}

// target follows an import. It returns nil if it leads out of the project, or to a module as
// a whole.
func (p *project) target(n *node, depth int) *node {
	f := n.file
	switch f.language {
	case inGo:
		if n.text == "embed" {
			return p.embedded(n, path.Join(path.Dir(f.path), n.module))
		}
	case inPython:
		if n.text == "" {
			return nil
		}

		if found := p.exported(p.pythonModule(f, n.module), n.text, depth); found != nil && found != n {
			return found
		}

		if sub := p.pythonModule(f, strings.TrimSuffix(n.module, ".")+"."+n.text); sub != nil && n.module != "." {
			return &node{form: imported, module: n.module + "." + n.text, line: n.line, file: f}
		}

		if n.module == "." || strings.HasSuffix(n.module, ".") {
			if sub := p.pythonModule(f, n.module+n.text); sub != nil {
				return &node{form: imported, module: n.module + n.text, line: n.line, file: f}
			}
		}
	case inScript:
		if strings.HasSuffix(n.module, ".json") && strings.HasPrefix(n.module, ".") {
			return p.embedded(n, path.Join(path.Dir(f.path), n.module))
		}

		if n.text != "" {
			return p.exported(p.script(f, n.module), n.text, depth)
		}
	}

	return nil
}

// embedded reads a file that is a part of the program: a text, or JSON as an object.
func (p *project) embedded(n *node, name string) *node {
	if p.open == nil {
		return nil
	}
	text, err := p.open(name)
	if err != nil || len(text) > maxText {
		return nil
	}
	return &node{form: literal, text: string(text), line: n.line, file: n.file}
}

// in returns a declaration of the module that an import names as a whole, or nil.
func (p *project) in(n *node, symbol string, depth int) *node {
	switch n.file.language {
	case inGo:
		if dir, ok := p.goPackage(n.module); ok && n.text == "" {
			if d := p.parsePackage(dir).decls[symbol]; len(d) > 0 {
				return p.together(d)
			}
		}
	case inPython:
		if n.text != "" {
			return nil
		}

		if found := p.exported(p.pythonModule(n.file, n.module), symbol, depth); found != nil {
			return found
		}

		sep := "."
		if strings.HasSuffix(n.module, ".") {
			sep = ""
		}

		if p.pythonModule(n.file, n.module+sep+symbol) != nil {
			return &node{form: imported, module: n.module + sep + symbol, line: n.line, file: n.file}
		}
	case inScript:
		if n.text == "" {
			return p.exported(p.script(n.file, n.module), symbol, depth)
		}
	}

	return nil
}

// known reports whether the module of an import is a part of the project.
func (p *project) known(n *node) bool {
	switch n.file.language {
	case inGo:
		if n.text == "embed" {
			return false
		}
		_, ok := p.goPackage(n.module)
		return ok
	case inPython:
		return p.pythonModule(n.file, n.module) != nil
	}
	return p.script(n.file, n.module) != nil
}
