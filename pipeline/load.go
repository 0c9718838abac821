package pipeline

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
)

// Options says what to load and which values variables have.
type Options struct {
	// File is the path of the pipeline file.
	File string
	// Vars are "name=value", from --var. They win over VarFiles, which win
	// over Environ, which wins over defaults; of two of a kind the later.
	Vars []string
	// VarFiles are paths of files of variables: JSON objects where the name
	// ends in .json, else name = value lines.
	VarFiles []string
	// Environ is the environment, as os.Environ gives it. Only variables
	// named TOUCHSTONE_VAR_... are read.
	Environ []string
	// Version is touchstone's own, for required_version; anything but a
	// semantic version is a development build, which fits every pipeline.
	Version string
	// Named, when set, is called as soon as the pipeline's name and root are
	// known, before most of the work, so that the caller can prepare for both.
	// The plan may still turn out to be invalid.
	Named func(name, root string)
}

// Load reads a pipeline and plans it. All problems are reported at once, in
// the order of the source; the plan is nil when one of them is an error. The
// files are those that diagnostics point into.
//
// Load looks at the files that inputs name, to list them and to refuse what
// cannot be read, but reads only those that functions ask for.
func Load(o Options) (*Plan, hcl.Diagnostics, map[string]*hcl.File) {
	return load(o, osDisk{})
}

// Format lays a pipeline file, or any other in the same syntax, out in the
// canonical style. It returns nil and what is wrong for a source that is not
// well formed, which laying out would garble: one in another language, in
// another encoding, half written.
func Format(src []byte, filename string) ([]byte, hcl.Diagnostics, map[string]*hcl.File) {
	l := &loader{files: map[string]*hcl.File{}}
	if !l.checkText(src, filename) {
		return nil, l.diags, l.files
	}
	file, diags := hclsyntax.ParseConfig(src, filename, hcl.InitialPos)
	l.files[filename] = file
	for _, d := range diags {
		// It is well formed, and which of the two is meant is not asked here.
		if d.Severity == hcl.DiagError && d.Summary != "Attribute redefined" {
			return nil, diags, l.files
		}
	}
	return hclwrite.Format(src), nil, l.files
}

// loader is one run of Load. Problems are collected in diags; whatever could
// not be worked out is unknown from then on and causes no further ones.
type loader struct {
	opts    Options
	disk    disk
	sources *sources
	files   map[string]*hcl.File
	diags   hcl.Diagnostics
	plan    *Plan
	// consulted are the files and directories that functions looked at.
	consulted map[string]bool
	// base is the scope of variables, locals and functions.
	base *hcl.EvalContext

	header         *content // of the pipeline block; nil without one
	variables      map[string]*variable
	variableOrder  []*variable
	locals         map[string]*local
	localOrder     []*local
	stages         map[string]*stage
	stageOrder     []*stage
	resultsChecked map[hclsyntax.Expression]bool
}

func load(o Options, d disk) (*Plan, hcl.Diagnostics, map[string]*hcl.File) {
	l := &loader{
		opts: o, disk: d, files: map[string]*hcl.File{}, plan: &Plan{}, consulted: map[string]bool{},
		variables: map[string]*variable{}, locals: map[string]*local{}, stages: map[string]*stage{},
		resultsChecked: map[hclsyntax.Expression]bool{},
	}
	if l.locate() {
		if body := l.parse(); body != nil {
			l.run(body)
		}
	}
	sortDiagnostics(l.diags, o.File)
	if l.diags.HasErrors() {
		return nil, l.diags, l.files
	}
	l.plan.Consulted = slices.Sorted(maps.Keys(l.consulted))
	return l.plan, l.diags, l.files
}

// locate finds the pipeline's directory, where its paths start.
func (l *loader) locate() bool {
	abs, err := filepath.Abs(l.opts.File)
	if err != nil {
		l.errorf(hcl.Range{}, "Cannot find the pipeline", "%s: %s.", l.opts.File, err)
		return false
	}
	root := filepath.Dir(abs)
	real, err := l.disk.Resolve(root)
	if err != nil {
		l.errorf(hcl.Range{}, "Cannot read the pipeline",
			"%s. Run in the directory of pipeline.hcl, or name the file with --file.", capital(pathError(l.opts.File, err)))
		return false
	}
	l.plan.Root = root
	l.plan.Name = filepath.Base(root)
	l.sources = &sources{disk: l.disk, root: root, real: real, dirs: map[string]resolved{}}
	l.base = &hcl.EvalContext{
		Variables: map[string]cty.Value{},
		Functions: l.functions(),
	}
	return true
}

// run works through the file: what stands alone first, then what depends on
// it, and each stage after those that it reads.
func (l *loader) run(body *hclsyntax.Body) {
	c := l.decode(body, fileSchema, "a pipeline file", hcl.Range{})
	for _, b := range c.blocks {
		switch b.Type {
		case "pipeline":
			l.decodeHeader(b)
		case "variable":
			l.decodeVariable(b)
		case "locals":
			l.decodeLocals(b)
		case "stage":
			l.decodeStage(b)
		}
	}
	if l.opts.Named != nil {
		l.opts.Named(l.plan.Name, l.plan.Root)
	}
	if len(l.stageOrder) == 0 && !l.diags.HasErrors() {
		l.errorf(hcl.Range{}, "No stages", "%s declares no stage, so there is nothing to run. Add one: stage \"NAME\" { command = [...] }.", l.opts.File)
	}
	l.settle(l.readValues())
	l.evalLocals()
	for _, s := range l.stageOrder {
		l.settleStage(s)
	}
	for _, s := range l.stageOrder {
		l.checkStage(s)
	}
	l.checkResults()
	for _, s := range l.sortStages() {
		l.instantiate(s)
	}
	l.settleResults()
	for _, v := range l.variableOrder {
		if v.sensitive {
			l.plan.Sensitive = append(l.plan.Sensitive, v.name)
		}
	}
}

// sortStages puts each stage after those that it reads and reports cycles.
func (l *loader) sortStages() []*stage {
	index := make(map[*stage]int, len(l.stageOrder))
	for i, s := range l.stageOrder {
		index[s] = i
	}
	edges := make([][]int, len(l.stageOrder))
	for i, s := range l.stageOrder {
		for _, u := range s.uses {
			edges[i] = append(edges[i], index[u])
		}
	}
	for _, cycle := range cycles(edges) {
		path := ""
		for _, i := range cycle {
			l.stageOrder[i].cyclic = true
			path += l.stageOrder[i].name + " -> "
		}
		first := l.stageOrder[cycle[0]]
		l.errorf(first.at, "Cycle of stages", "%s",
			fmt.Sprintf("These stages read one another's outputs, so none can run first: %s%s. Remove one of the references in inputs.", path, first.name))
	}
	sorted := make([]*stage, 0, len(l.stageOrder))
	for _, i := range order(edges) {
		sorted = append(sorted, l.stageOrder[i])
	}
	return sorted
}
