package pipeline

import (
	"maps"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Settings are values for a pipeline that is part of the program, for the defaults of one that extends it.
type Settings struct {
	// Files are those of the pipeline.
	Files []BuiltinFile
	// Dir is the directory of the pipeline that extends it. It need not exist.
	Dir string
	// Base are values by variable. Vars override them as --var overrides defaults.
	Base map[string]cty.Value
	Vars []string
}

// Resolve returns the values by variable. It checks those of Vars as a run would. Of an object it leaves out what
// has the pipeline's default.
func (s Settings) Resolve() (map[string]cty.Value, hcl.Diagnostics) {
	m, diags := s.module()
	if diags.HasErrors() {
		return nil, diags
	}

	set := map[string]cty.Value{}
	for _, name := range sortedKeys(s.Base) {
		if v := m.declared(name, "the program", hcl.Range{}, hcl.DiagError); v != nil {
			m.setValue(set, v, s.Base[name], "the program", hcl.Range{})
		}
	}

	given := maps.Clone(set)
	m.setVars(set)
	vals := make(map[string]cty.Value, len(m.variableOrder))
	for _, v := range m.variableOrder {
		if !v.hasPreset {
			v.preset = cty.NullVal(v.ty)
		}

		v.val = v.preset
		if val, ok := set[v.name]; ok {
			v.val = val
		}

		vals[v.name] = v.val
	}

	m.base.Variables["var"] = cty.ObjectVal(vals)
	values := map[string]cty.Value{}
	for _, v := range m.variableOrder {
		val, ok := set[v.name]
		if !ok {
			continue
		}

		// What the program itself sets may name files that it has yet to write.
		if before, ok := given[v.name]; !ok || !before.RawEquals(val) {
			for _, r := range v.rules {
				m.validate(v, r)
			}
		}

		if val = withoutDefaults(val, v.preset); !val.RawEquals(cty.EmptyObjectVal) {
			values[v.name] = val
		}
	}

	return values, m.diags
}

// Variables lists the variables.
func (s Settings) Variables() []Variable {
	m, diags := s.module()
	if diags.HasErrors() {
		return nil
	}
	return m.listVariables()
}

// module decodes the variables of the files.
func (s Settings) module() (*module, hcl.Diagnostics) {
	l := &loader{
		opts: Options{Vars: s.Vars}, disk: osDisk{}, files: map[string]*hcl.File{}, plan: &Plan{},
		consulted: map[string]bool{}, parsed: map[string]*moduleSource{},
	}
	root, err := filepath.Abs(s.Dir)
	if err != nil {
		l.errorf(hcl.Range{}, "Cannot find the directory", "%s: %s.", s.Dir, err)
		return nil, l.diags
	}

	l.plan.Root = root
	l.sources = &sources{disk: l.disk, root: root, real: root, dirs: map[string]resolved{}}
	m := l.newModule(nil, "", &moduleSource{main: "the pipeline", dir: root})
	for _, f := range s.Files {
		body := l.parse(f.Name, f.Text)
		if body == nil {
			return nil, l.diags
		}

		for _, b := range body.Blocks {
			if b.Type == "variable" {
				m.decodeVariable(b)
			}
		}
	}

	return m, l.diags
}

// withoutDefaults leaves out the attributes of an object that have their default.
func withoutDefaults(val, preset cty.Value) cty.Value {
	if !val.Type().IsObjectType() || val.IsNull() || !val.IsKnown() {
		return val
	}

	own := map[string]cty.Value{}
	for name, v := range val.AsValueMap() {
		old := cty.NullVal(v.Type())
		if !preset.IsNull() && preset.Type().HasAttribute(name) {
			old = preset.GetAttr(name)
		}

		if !v.RawEquals(old) {
			own[name] = withoutDefaults(v, old)
		}
	}

	return cty.ObjectVal(own)
}
