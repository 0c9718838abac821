package pipeline

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Options select the pipeline to load and the values of its variables.
type Options struct {
	// File is the path of the pipeline. It is a directory, whose pipeline files
	// are read together, its MainFile, which stands for the directory, or any
	// other file, which is read alone.
	File string
	// Vars are "name=value", from --var. They override VarFiles, which override
	// Environ, which overrides defaults. Within each, later values override
	// earlier ones. "name.attribute=value" only changes the attribute.
	Vars []string
	// VarFiles are paths of files of variables. If the name ends in .json, the
	// file is a JSON object, otherwise it has lines of name = value.
	VarFiles []string
	// Streams, if set, keeps the content of the VarFiles that are no regular files, such as pipes, for another Load.
	Streams *Streams
	// Environ is the environment, as returned by os.Environ. Only variables
	// named TOUCHSTONE_VAR_... are read.
	Environ []string
	// Version is touchstone's own version, for required_version. Anything but a
	// semantic version is a development build, which satisfies every constraint.
	Version string
	// Builtins holds the pipelines that are part of the program, for extends, by "NAME@VERSION".
	Builtins map[string][]BuiltinFile
	// Named, if set, is called as soon as the pipeline's name and root are known,
	// before most of the work, so that the caller can prepare for both. publish
	// lists the paths to which results are published. It is nil if the files
	// have syntax errors. The plan may still be invalid.
	Named func(name, root string, publish []string)
	// Sensitive, if set, is called with each sensitive text of the pipeline, before
	// Load returns, so that the caller can keep it out of everything that it prints.
	Sensitive func(text string)
}

// Load reads a pipeline and plans it. It reports all problems at once, in the order of the source.
// The plan is nil if one of them is an error. The returned files are those that diagnostics refer
// to.
//
// Load examines the files that inputs name, to list them and to refuse unreadable ones, but only
// reads the files that functions request.
func Load(o Options) (*Plan, hcl.Diagnostics, map[string]*hcl.File) {
	return load(o, osDisk{})
}

// Format formats a pipeline file, or any other file in HCL syntax, in the canonical style. For a
// file with syntax errors, which formatting would damage, it returns nil and the problems.
func Format(src []byte, filename string) ([]byte, hcl.Diagnostics, map[string]*hcl.File) {
	l := &loader{files: map[string]*hcl.File{}}
	if !l.checkText(src, filename) {
		return nil, l.diags, l.files
	}
	file, diags := parseFile(src, filename)
	l.files[filename] = file
	// A duplicate attribute does not prevent formatting.
	if malformed(diags) {
		return nil, diags, l.files
	}
	return hclwrite.Format(src), nil, l.files
}

// loader is one run of Load, with the data that all modules of a pipeline share. It collects
// problems in diags. A value that could not be computed is unknown and causes no further problems.
type loader struct {
	opts    Options
	disk    disk
	sources *sources
	files   map[string]*hcl.File
	diags   hcl.Diagnostics
	plan    *Plan
	budget  budget
	// consulted holds the files and directories that functions examined.
	consulted map[string]bool
	// modules holds the pipeline and the included modules, each after the module
	// that includes it.
	modules []*module
	// allStages holds the stages of all modules that could be evaluated, in the
	// order of modules.
	allStages []*stage
	// extends reports whether extended pipelines are read, too.
	extends bool
	// parsed maps the path of each main file, without symbolic links, to its
	// module's files.
	parsed map[string]*moduleSource
}

func load(o Options, d disk) (*Plan, hcl.Diagnostics, map[string]*hcl.File) {
	l := &loader{
		opts: o, disk: d, files: map[string]*hcl.File{}, plan: &Plan{}, consulted: map[string]bool{},
		parsed: map[string]*moduleSource{}, extends: true,
	}
	if src := l.open(); src != nil {
		l.run(src)
	}

	l.diags = l.sortDiagnostics()
	if l.diags.HasErrors() {
		return nil, l.diags, l.files
	}

	l.plan.Consulted = slices.Sorted(maps.Keys(l.consulted))
	return l.plan, l.diags, l.files
}

// open finds the pipeline's directory, to which its paths are relative, and reads its files.
func (l *loader) open() *moduleSource {
	main, whole := mainFile(l.disk, l.opts.File)
	abs, err := filepath.Abs(main)
	if err != nil {
		l.errorf(hcl.Range{}, "Cannot find the pipeline", "%s: %s.", l.opts.File, err)
		return nil
	}

	root := filepath.Dir(abs)
	real, err := l.disk.Resolve(root)
	if err != nil {
		l.unreadable(main, err)
		return nil
	}

	l.plan.Root = root
	l.plan.Name = filepath.Base(root)
	l.sources = &sources{disk: l.disk, root: root, real: real, dirs: map[string]resolved{}}
	return l.read(main, whole, l.unreadable)
}

// unreadable reports that the pipeline itself cannot be read.
func (l *loader) unreadable(file string, err error) {
	l.errorf(hcl.Range{}, "Cannot read the pipeline",
		"%s. Run in the directory of %s, or name the file or the directory with --file.", capital(pathError(file, err)),
		MainFile)
}

// run evaluates the modules: first what is independent, then what depends on it, and each stage
// after the stages that it uses.
func (l *loader) run(src *moduleSource) {
	root := l.newModule(nil, "", src)
	root.decodeFiles()
	if src.broken {
		if l.opts.Named != nil {
			l.opts.Named(l.plan.Name, l.plan.Root, nil)
		}

		return
	}

	if !l.diags.HasErrors() && !slices.ContainsFunc(l.modules, func(m *module) bool { return len(m.stageOrder) > 0 }) {
		l.errorf(hcl.Range{}, "No stages", "%s declares no stage, so there is nothing to run. Add one: stage "+
			"\"NAME\" { command = [...] }.", src.main)
	}

	if l.opts.Named != nil {
		l.opts.Named(l.plan.Name, l.plan.Root, root.publishPaths())
	}

	root.evaluate(root.readValues())
	for _, m := range l.modules {
		if m.evaluated {
			l.allStages = append(l.allStages, m.stageOrder...)
		}
	}

	for _, s := range l.allStages {
		s.module.checkStage(s)
	}

	l.checkOnDemand()
	root.checkResults()
	for _, s := range l.sortStages() {
		s.module.instantiate(s)
	}

	for _, s := range l.allStages {
		l.resolveDependsOn(s)
	}

	root.resolveResults()
	l.plan.Variables = root.listVariables()
	for _, v := range root.variableOrder {
		if v.sensitive {
			l.plan.Sensitive = append(l.plan.Sensitive, v.name)
		}
	}
}

// sortStages sorts each stage after the stages that it uses, and reports cycles.
func (l *loader) sortStages() []*stage {
	index := make(map[*stage]int, len(l.allStages))
	for i, s := range l.allStages {
		index[s] = i
	}

	edges := make([][]int, len(l.allStages))
	for i, s := range l.allStages {
		for _, u := range s.uses {
			edges[i] = append(edges[i], index[u])
		}

		for _, a := range s.after {
			if j := index[a]; !slices.Contains(edges[i], j) {
				edges[i] = append(edges[i], j)
			}
		}
	}

	for _, cycle := range cycles(edges) {
		names, waits := "", false
		for n, i := range cycle {
			s := l.allStages[i]
			s.cyclic = true
			names += s.name + " -> "
			waits = waits || !slices.Contains(s.uses, l.allStages[cycle[(n+1)%len(cycle)]])
		}

		first := l.allStages[cycle[0]]
		how, remedy := "read one another's outputs", "Remove one of the references in inputs."
		if waits {
			how, remedy = "read one another's outputs or wait for one another",
				"Remove one of the references in inputs or depends_on."
		}

		l.errorf(first.at, "Cycle of stages", "These stages %s, so none can run first: %s%s. %s", how, names,
			first.name, remedy)
	}

	sorted := make([]*stage, 0, len(l.allStages))
	for _, i := range order(edges) {
		sorted = append(sorted, l.allStages[i])
	}

	return sorted
}
