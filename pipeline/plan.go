package pipeline

import (
	"time"

	"github.com/touchstone-eval/touchstone/cache"
)

// Plan is a validated pipeline: every stage instance with all expressions
// evaluated, in an order in which each comes after what it reads.
type Plan struct {
	Name string
	// Root is the absolute directory of the pipeline file. Relative paths
	// of inputs start here.
	Root string
	// Files are the files that were read: those of the pipeline, the main
	// file first, then those that it includes, each once. Skipped are files beside them
	// that belong to something else.
	Files     []string
	Skipped   []SkippedFile
	Instances []*Instance
	// Verdict is the output that holds the pipeline's verdict, a JSON
	// object with a boolean "passed"; nil when the pipeline declares none.
	Verdict *OutputRef
	// NoVerdict says why Verdict is nil although the pipeline declares one; it
	// continues a sentence whose subject is the verdict.
	NoVerdict string
	// Baseline is the file that the verdict rests on, relative to Root; empty
	// when the pipeline names none.
	Baseline string
	// Sensitive lists the variables whose values are never printed, in the
	// order of the file.
	Sensitive []string
	// Publish lists what a successful run leaves in the tree, by path.
	Publish []Publish
	// Consulted lists the files that functions looked at and the directories
	// that they listed, absolute and sorted: who edits one may have another
	// plan.
	Consulted []string
}

// Publish copies an output to Path, relative to Root, after a run.
type Publish struct {
	Path string
	From OutputRef
}

// Instance is one stage, or one cell of a stage's matrix.
type Instance struct {
	// Stage is the stage's name; that of an included stage begins with the
	// include's, "scoring/rank".
	Stage string
	// Off says why the instance is never run: its condition is false. Such an
	// instance has a name and outputs, which are null to who reads them, and
	// nothing else. Empty for an instance that is on.
	Off string
	// OnDemand tells that the instance is part of a run only if it is named.
	OnDemand bool
	// Matrix holds the values of the axes, sorted by the axes' names, so that
	// the order in which they are written down changes no name and no key;
	// empty for a stage without a matrix.
	Matrix []AxisValue

	Command     []string
	Inputs      []Input  // sorted by name
	Outputs     []Output // sorted by name
	Env         []EnvVar // sorted by name
	Passthrough []string // host variables handed on; names are in the key, values are not
	Secrets     []Secret // sorted by name
	Timeout     time.Duration
	Retries     int
	Network     Network
	Image       string
	Platform    string
	Resources   Resources
	Cache       CachePolicy

	// Sensitive is set when a sensitive variable's value is in Command or
	// Env: these are then never printed.
	Sensitive bool
	// Upstream lists the instances whose outputs are read, by index into
	// Plan.Instances, ascending.
	Upstream []int
	// After lists the instances that have to end well first and of which
	// nothing is read, by index into Plan.Instances, ascending.
	After []int
}

// AxisValue is the value of one axis of the matrix, as text.
type AxisValue struct{ Axis, Value string }

// Name is the instance's part of the name, "detector=scanner,run=1"; empty
// without a matrix.
func (in *Instance) Name() string {
	s := ""
	for i, av := range in.Matrix {
		if i > 0 {
			s += ","
		}
		s += av.Axis + "=" + av.Value
	}
	return s
}

// String is the full name, "score-security[detector=scanner,run=1]".
func (in *Instance) String() string {
	if len(in.Matrix) == 0 {
		return in.Stage
	}
	return in.Stage + "[" + in.Name() + "]"
}

// Input is one declared input. It is materialised in the instance's directory
// at Path. Exactly one of Files and From is used.
//
// A single source file or single upstream output becomes Path itself
// (in/<name><ext>). A directory, a file set or all outputs of a matrix become
// the directory Path (in/<name>) with each member below it.
type Input struct {
	Name string
	Path string // slash-separated, relative, inside the instance's directory
	// Tree tells that Path is a directory that holds the members.
	Tree  bool
	Files []SourceFile // sorted by Path
	From  []UpstreamFile
}

// SourceFile is a file of the source tree. Path is relative to the input's
// Path, "" when the input is that single file.
type SourceFile struct {
	Path   string
	Source string // absolute
	// Label is how messages name the file: as the pipeline wrote it.
	Label string
	// Found is the file as Load found it; nil where Load did not look.
	Found *cache.FileInfo
}

// UpstreamFile is an output of an earlier instance. Path is relative to the
// input's Path, "" when the input is that single output.
type UpstreamFile struct {
	Path string
	From OutputRef
}

// OutputRef names an output of an instance of the plan.
type OutputRef struct {
	Instance int // index into Plan.Instances
	Output   string
}

// Output is one declared output: Path is relative to the instance's
// directory (out/... is where commands are told to write).
type Output struct {
	Name string
	Path string
	// Dir tells that the output is a directory: its declared path ends
	// in "/".
	Dir bool
}

// EnvVar is a declared environment variable.
type EnvVar struct{ Name, Value string }

// Secret is handed to the command in the environment variable Name. From says
// where its value comes from, "env:NAME" or "file:PATH"; the value itself is
// read when the stage starts and is kept nowhere.
type Secret struct{ Name, From string }

// Network is what an instance may reach.
type Network string

// Networks.
const (
	NetworkNone     Network = "none"
	NetworkLoopback Network = "loopback"
	NetworkFull     Network = "full"
)

// Resources are what an instance needs; zero means no wish.
type Resources struct {
	CPUs     float64
	MemoryMB int64
}

// CachePolicy tells whether a result is kept and for how long; TTL zero is
// for ever.
type CachePolicy struct {
	Off bool
	TTL time.Duration
}
