package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/cache"
)

// inputsDir is the directory for inputs.
const inputsDir = "in"

// source determines what the value of an input refers to. It returns nil for an input that is left
// out, and false after it has reported a problem.
func (l *module) source(s *stage, name string, val cty.Value, at hcl.Range) (*Input, bool) {
	if val.ContainsMarked() {
		l.errorf(at, "Sensitive value", "The input %q of stage %q depends on a sensitive value, which would be "+
			"printed. Use sensitive values only in command or env.", name, s.name)
		return nil, false
	}

	if val.IsNull() {
		return nil, true
	}

	in := &Input{Name: name, Path: inputsDir + "/" + name}
	var problems []string
	switch ty := val.Type(); {
	case ty == cty.String:
		problems = l.sourcePath(in, val.AsString(), filter{})
	case ty == outputType:
		o := val.EncapsulatedValue().(*outputValue)
		if !o.stage.planned {
			return nil, false // reported with the stage
		}

		in.fromOutput(o)
	case ty.IsTupleType() || ty.IsListType() || ty.IsSetType():
		if onlyNulls(val) {
			return nil, true
		}

		if slices.ContainsFunc(stagesIn(val), func(s *stage) bool { return !s.planned }) {
			return nil, false // reported with the stage
		}

		problems = l.sourceSet(in, val)
	case isStage(ty):
		problems = []string{"a whole stage cannot be an input; use one of its outputs, stage.NAME.OUTPUT"}
	case ty.IsObjectType() || ty.IsMapType():
		problems = l.sourceTree(in, val)
	default:
		problems = []string{fmt.Sprintf("%s cannot be an input; write a path, a list of paths, { path, include, "+
			"exclude }, or an output stage.NAME.OUTPUT", article(ty.FriendlyName()))}
	}

	for _, p := range problems {
		l.errorf(at, "Invalid input", "The input %q of stage %q: %s.", name, s.name, p)
	}

	return in, len(problems) == 0
}

// isStage reports whether a type is that of "stage.NAME".
func isStage(ty cty.Type) bool {
	if !ty.IsObjectType() {
		return false
	}
	for _, a := range ty.AttributeTypes() {
		if a == outputType || isStage(a) {
			return true
		}
	}
	return false
}

// sourcePath adds a file, or the files in a directory and its subdirectories that pass the filter.
func (l *module) sourcePath(in *Input, label string, f filter) []string {
	real, fi, err := l.sources.find(label)
	base, pattern := doublestar.SplitPattern(label)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(pattern, "*?[{") && len(f.include)+len(f.exclude) == 0 {
		return []string{fmt.Sprintf("%q does not exist, and a path is no pattern; for the files that match, write the "+
			"input { path = %q, include = [%q] }", label, base, pattern)}
	}

	if err != nil {
		return []string{err.Error()}
	}

	switch {
	case fi.IsDir():
		var problems []string
		in.Tree = true
		in.Files, problems = l.sources.tree(label, real, f)
		if len(in.Files) == 0 && len(problems) == 0 {
			remedy := "add one"
			if len(f.include)+len(f.exclude) > 0 {
				remedy = "check include and exclude"
			}

			problems = append(problems, fmt.Sprintf("the directory %q contains no file for this input; %s, or set the "+
				"input to null to omit it", label, remedy))
		}

		return problems
	case len(f.include)+len(f.exclude) > 0:
		return []string{fmt.Sprintf("%q is a file, but include and exclude need a directory; set path to the "+
			"directory that contains it", label)}
	case !fi.Mode().IsRegular():
		return []string{fmt.Sprintf("%q is %s; an input is a file or a directory", label, fileKind(fi.Mode()))}
	}

	if err := l.sources.readable(label, real, fi); err != nil {
		return []string{err.Error()}
	}

	in.Path += path.Ext(filepath.Base(label))
	found, _ := fi.(*cache.FileInfo)
	in.Files = []SourceFile{{Source: real, Label: label, Found: found}}
	return nil
}

// sourceTree adds { path, include, exclude }.
func (l *module) sourceTree(in *Input, val cty.Value) []string {
	var label string
	var f filter
	var problems []string
	known := []string{"path", "include", "exclude"}
	for it := val.ElementIterator(); it.Next(); {
		k, v := it.Element()
		switch k.AsString() {
		case "path":
			t, problem := toText(v)
			if problem != "" || t.null {
				problems = append(problems, "path must be the path of a directory")
			}

			label = t.s
		case "include", "exclude":
			patterns, problem := globs(v)
			if problem != "" {
				problems = append(problems, fmt.Sprintf("%s %s", k.AsString(), problem))
			}

			if k.AsString() == "include" {
				f.include = patterns
			} else {
				f.exclude = patterns
			}
		default:
			problems = append(problems,
				fmt.Sprintf("a tree has no %q.%s It has %s", k.AsString(), didYouMean(k.AsString(), known),
					anyOf(known)))
		}
	}

	if label == "" && len(problems) == 0 {
		problems = append(problems, "a tree needs a path: { path = \"DIRECTORY\", include = [\"**/*.json\"] }")
	}

	if len(problems) > 0 {
		return problems
	}

	return l.sourcePath(in, label, f)
}

// globs converts a list of patterns.
func globs(val cty.Value) ([]string, string) {
	if val.IsNull() {
		return nil, ""
	}

	ty := val.Type()
	if !ty.IsTupleType() && !ty.IsListType() && !ty.IsSetType() {
		return nil, "must be a list of patterns, such as [\"**/*.json\"]"
	}

	var patterns []string
	for it := val.ElementIterator(); it.Next(); {
		_, v := it.Element()
		t, problem := toText(v)
		if problem != "" {
			return nil, "must be a list of patterns: " + problem
		}

		if t.null {
			continue
		}

		if !doublestar.ValidatePattern(t.s) {
			return nil, fmt.Sprintf("contains the malformed pattern %q; brackets and braces must be closed", t.s)
		}

		patterns = append(patterns, path.Clean(t.s))
	}

	return patterns, ""
}

// directory turns the name of a stage into a path: the cells of includes with a matrix become directories.
var directory = strings.NewReplacer("[", "/", "]", "")

// sourceSet adds a list of paths, or a list of outputs.
func (l *module) sourceSet(in *Input, val cty.Value) []string {
	in.Tree = true
	var problems []string
	for it := val.ElementIterator(); it.Next(); {
		_, v := it.Element()
		switch ty := v.Type(); {
		case v.IsNull():
		case ty == outputType:
			o := v.EncapsulatedValue().(*outputValue)
			in.From = append(in.From, o.members(directory.Replace(o.stage.name))...)
		case ty == cty.String:
			problems = append(problems, l.addMember(in, v.AsString())...)
		case isStage(ty):
			problems = append(problems, "a whole stage cannot be an input; use one of its outputs, stage.NAME.OUTPUT")
		default:
			problems = append(problems,
				fmt.Sprintf("a list of inputs contains paths or outputs of stages, not %s", article(ty.FriendlyName())))
		}
	}

	if len(problems) > 0 {
		return problems
	}

	if len(in.Files) > 0 && len(in.From) > 0 {
		return []string{"a list of inputs contains either files or outputs of stages, not both; declare two inputs"}
	}

	if len(in.Files)+len(in.From) == 0 {
		return []string{"the list is empty; write null to omit the input"}
	}

	slices.SortFunc(in.Files, func(a, b SourceFile) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(in.From, func(a, b UpstreamFile) int { return strings.Compare(a.Path, b.Path) })
	for i := 1; i < len(in.Files); i++ {
		if a, b := in.Files[i-1], in.Files[i]; a.Path == b.Path {
			return []string{fmt.Sprintf("%q and %q would both be copied to %s/%s; list the file once, or declare "+
				"two inputs", a.Label, b.Label, in.Path, a.Path)}
		}
	}

	for i := 1; i < len(in.From); i++ {
		if in.From[i-1].Path == in.From[i].Path {
			return []string{fmt.Sprintf("two outputs would both be copied to %s/%s; declare two inputs", in.Path,
				in.From[i].Path)}
		}
	}

	return nil
}

// onlyNulls reports whether a list is not empty and all its elements are null: missing files, or
// outputs of stages that are off. The input is then left out.
func onlyNulls(val cty.Value) bool {
	for it := val.ElementIterator(); it.Next(); {
		if _, v := it.Element(); !v.IsNull() {
			return false
		}
	}
	return val.LengthInt() > 0
}

// addMember adds the file or directory at a path of a list. Its path in the input is its path relative
// to the pipeline. For a path outside the pipeline, the leading ".." elements are removed.
func (l *module) addMember(in *Input, label string) []string {
	member := Input{}
	if problems := l.sourcePath(&member, label, filter{}); len(problems) > 0 {
		return problems
	}

	abs := l.sources.absolute(label)
	rel := filepath.Base(abs)
	if r, err := filepath.Rel(l.sources.root, abs); err == nil &&
		(within(abs, l.sources.root) || !filepath.IsAbs(label)) {
		rel = filepath.ToSlash(r)
		for strings.HasPrefix(rel, "../") {
			rel = rel[3:]
		}
	}

	if rel == "." || rel == ".." || rel == "/" {
		rel = ""
	}

	for _, f := range member.Files {
		f.Path = strings.Trim(rel+"/"+f.Path, "/")
		in.Files = append(in.Files, f)
	}

	if len(in.Files) > maxMembers {
		return []string{fmt.Sprintf("the list contains more than %d files", maxMembers)}
	}

	return nil
}

// fromOutput makes the input an output of one instance, or a directory with the outputs of all
// instances.
func (in *Input) fromOutput(o *outputValue) {
	if o.cell < 0 {
		in.Tree = true
		in.From = o.members("")
		return
	}
	out := o.stage.output(o.cell, o.name)
	if !out.Dir {
		in.Path += path.Ext(path.Base(out.Path))
	}
	in.From = []UpstreamFile{{From: o.stage.ref(o.cell, o.name)}}
}

// members lists outputs as INSTANCE/BASENAME, inside the directory below if it is given.
func (o *outputValue) members(below string) []UpstreamFile {
	s := o.stage
	cells := []int{o.cell}
	if o.cell < 0 {
		cells = make([]int, 0, len(s.cells))
		for i := range s.cells {
			if s.offAt(i) == "" {
				cells = append(cells, i)
			}
		}
	}

	files := make([]UpstreamFile, 0, len(cells))
	for _, c := range cells {
		files = append(files, UpstreamFile{
			Path: path.Join(below, s.cellName(c), path.Base(s.output(c, o.name).Path)),
			From: s.ref(c, o.name),
		})
	}

	if o.cell < 0 {
		slices.SortFunc(files, func(a, b UpstreamFile) int { return strings.Compare(a.Path, b.Path) })
	}

	return files
}

func (s *stage) output(cell int, name string) Output {
	outs := s.cellOutputs[cell]
	i, _ := slices.BinarySearchFunc(outs, name,
		func(o Output, name string) int { return strings.Compare(o.Name, name) })
	return outs[i]
}

func (s *stage) ref(cell int, name string) OutputRef {
	return OutputRef{Instance: s.first + cell, Output: name}
}
