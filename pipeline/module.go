package pipeline

import (
	"fmt"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// module is a pipeline or an included pipeline. Each module has its own names. Other modules can
// only use the outputs that it declares.
type module struct {
	*loader
	// parent is the module that includes this one, or nil for the pipeline itself.
	parent *module
	// prefix is the prefix of the names of the module's stages: "" or "NAME/".
	prefix string
	src    *moduleSource
	// base is the scope of variables, locals and functions.
	base *hcl.EvalContext

	header         *content // of the pipeline block, or nil
	headerAt       hcl.Range
	variables      map[string]*variable
	variableOrder  []*variable
	locals         map[string]*local
	localOrder     []*local
	stages         map[string]*stage
	stageOrder     []*stage
	includes       map[string]*include
	includeOrder   []*include
	outputs        map[string]*moduleOutput
	outputOrder    []*moduleOutput
	resultsChecked map[hclsyntax.Expression]bool
	// valuesUnread reports whether a file of values could not be read.
	valuesUnread bool
	// evaluated reports whether the module's values were computed. A module on a
	// cycle of includes is never evaluated.
	evaluated bool
}

func (l *loader) newModule(parent *module, prefix string, src *moduleSource) *module {
	m := &module{
		loader: l, parent: parent, prefix: prefix, src: src,
		variables: map[string]*variable{}, locals: map[string]*local{}, stages: map[string]*stage{},
		includes: map[string]*include{}, outputs: map[string]*moduleOutput{},
		resultsChecked: map[hclsyntax.Expression]bool{},
	}
	m.base = &hcl.EvalContext{
		Variables: map[string]cty.Value{"path": cty.ObjectVal(map[string]cty.Value{"module": cty.StringVal(m.path())})},
	}
	if parent == nil {
		m.base.Functions = l.functions()
	} else {
		m.base.Functions = parent.base.Functions
		l.sources.included = true
	}

	l.modules = append(l.modules, m)
	return m
}

// path returns the module's directory, relative to that of the pipeline.
func (l *module) path() string {
	dir, err := filepath.Abs(l.src.dir)
	if err != nil {
		return l.src.dir
	}
	rel, err := filepath.Rel(l.plan.Root, dir)
	if err != nil {
		return dir
	}
	return filepath.ToSlash(rel)
}

// decodeFiles checks the static structure of the module's files and of the files that they include.
func (l *module) decodeFiles() {
	if l.src.broken {
		return
	}

	for _, body := range l.src.bodies {
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
			case "include":
				l.decodeInclude(b)
			case "output":
				l.decodeOutput(b)
			}
		}
	}

	l.applyDefaults()
	for _, n := range l.includeOrder {
		if n.child != nil {
			n.child.decodeFiles()
		}
	}
}

// evaluate computes what does not depend on instances of other stages: values, matrices, the names
// of outputs, and the outputs of the module. set holds the values of variables that were set by the
// caller.
func (l *module) evaluate(set map[string]cty.Value) {
	l.resolveVariables(set)
	l.evalLocals()
	for _, s := range l.stageOrder {
		l.resolveStage(s)
	}
	l.resolveIncludes()
	l.resolveModuleOutputs()
	l.evaluated = true
}

// where formats a place for a message about another place. It only includes the file if the files
// differ.
func where(at, from hcl.Range) string {
	if at.Filename == from.Filename {
		return fmt.Sprintf("line %d", at.Start.Line)
	}
	return fmt.Sprintf("%s:%d", at.Filename, at.Start.Line)
}
