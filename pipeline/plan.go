package pipeline

import (
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
)

// Plan is a validated pipeline: every stage instance with all expressions evaluated. Each
// instance comes after those whose outputs it uses.
type Plan struct {
	Name string
	// Root is the absolute directory of the pipeline file. Relative paths of
	// inputs are relative to it.
	Root string
	// Files lists the files that were read, each once: first the main file, then
	// the other files of the pipeline, then included files. Skipped lists files
	// in the same directories that are not part of the pipeline.
	Files     []string
	Skipped   []SkippedFile
	Instances []*Instance
	// Verdict is the output that holds the pipeline's verdict, a JSON object with
	// a boolean "passed", or nil if the pipeline declares none.
	Verdict *OutputRef
	// NoVerdict is the reason why Verdict is nil although the pipeline declares
	// one. It is a phrase that follows "the verdict".
	NoVerdict string
	// Baseline is the file that the verdict is based on, relative to Root, or
	// empty.
	Baseline string
	// AllowedSigners is the file that lists whose signed results are accepted, relative
	// to Root, or empty.
	AllowedSigners string
	// Remote is the cache that machines share. Its Cache is empty if there is none.
	Remote Remote
	// Variables lists the variables that --var can set, in the order of the file.
	Variables []Variable
	// Sensitive lists the variables whose values are never printed, in the order
	// of the file.
	Sensitive []string
	// Publish lists the files that a successful run writes to the tree, by path.
	Publish []Publish
	// Consulted lists the files that functions examined and the directories that
	// they listed, absolute and sorted. A change of any of them may change the
	// plan.
	Consulted []string
}

// Variable is a variable of the pipeline.
type Variable struct {
	Name, Description string
	Attributes        []Attribute
}

// Attribute is an attribute of a variable that --var can set. Its name begins with that of the variable. A name that
// ends in a dot needs the name of an element of a map.
type Attribute struct{ Name, Type string }

// Publish copies an output to Path, relative to Root, after a run.
type Publish struct {
	Path string
	From OutputRef
}

// Instance is one stage, or one cell of a stage's matrix.
type Instance struct {
	// Stage is the stage's name. The name of an included stage starts with the
	// name of the include, as in "scoring/rank".
	Stage string
	// Off is the reason why the instance never runs: its condition is false. Such
	// an instance only has a name and outputs, whose values are null. Off is empty
	// for other instances.
	Off string
	// OnDemand means that the instance only runs if it is selected by name.
	OnDemand bool
	// Matrix holds the values of the axes. It is sorted by the names of the axes,
	// so that the order in which they are written affects no name and no key. It
	// is empty for a stage without a matrix.
	Matrix []AxisValue

	Command     []string
	Stdin       string   // the path of the input that the command reads as standard input, or ""
	Stdout      string   // the path of the output that is its standard output, or ""
	Inputs      []Input  // sorted by name
	Outputs     []Output // sorted by name
	Env         []EnvVar // sorted by name
	Passthrough []string // host variables passed to the command; names are in the key, values are not
	Secrets     []Secret // sorted by name
	Timeout     time.Duration
	Retries     int
	Network     Network
	Image       string
	Platform    string
	Resources   Resources
	Cache       CachePolicy

	// Sensitive means that Command or Env contains the value of a sensitive
	// variable. They are then never printed.
	Sensitive bool
	// Upstream lists the instances whose outputs are used, as ascending indexes
	// into Plan.Instances.
	Upstream []int
	// After lists other instances that must succeed first, as ascending indexes
	// into Plan.Instances. Their outputs are not used.
	After []int
}

// AxisValue is the value of one axis of the matrix, as text.
type AxisValue struct{ Axis, Value string }

// Name returns the part of the name that identifies the instance within its stage, such as
// "detector=scanner,run=1", or "" without a matrix.
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

// CutInstance splits the full name of an instance into the name of its stage and the rest, as in
// "score[run=1]". found reports whether there is a rest. The name of a stage may itself have brackets, which
// belong to an include with a matrix: "english[size=2]/score".
func CutInstance(full string) (stage, instance string, found bool) {
	own := strings.LastIndexByte(full, '/') + 1
	stage, instance, found = strings.Cut(full[own:], "[")
	return full[:own] + stage, strings.TrimSuffix(instance, "]"), found
}

// String returns the full name, such as "score-security[detector=scanner,run=1]".
func (in *Instance) String() string {
	if len(in.Matrix) == 0 {
		return in.Stage
	}
	return in.Stage + "[" + in.Name() + "]"
}

// Input is one declared input. It is written to Path in the instance's directory. Exactly one
// of Files and From is used.
//
// A single source file or a single upstream output becomes Path itself (in/<name><ext>). For a
// directory, a file set or all outputs of a matrix, Path is a directory (in/<name>) that
// contains the members.
type Input struct {
	Name string
	Path string // slash-separated, relative, inside the instance's directory
	// Tree means that Path is a directory that contains the members.
	Tree  bool
	Files []SourceFile // sorted by Path
	From  []UpstreamFile
}

// SourceFile is a file of the source tree. Path is relative to the input's Path, or "" if the
// input is this single file.
type SourceFile struct {
	Path   string
	Source string // absolute
	// Label is the name of the file for messages, as written in the pipeline.
	Label string
	// Found is the status of the file that Load found, or nil.
	Found *cache.FileInfo
}

// UpstreamFile is an output of an earlier instance. Path is relative to the input's Path, or ""
// if the input is this single output.
type UpstreamFile struct {
	Path string
	From OutputRef
}

// OutputRef identifies an output of an instance of the plan.
type OutputRef struct {
	Instance int // index into Plan.Instances
	Output   string
}

// Output is one declared output. Path is relative to the instance's directory. Commands write
// in its subdirectory out.
type Output struct {
	Name string
	Path string
	// Dir means that the output is a directory: its declared path ends with "/".
	Dir bool
}

// EnvVar is a declared environment variable.
type EnvVar struct{ Name, Value string }

// Secret is passed to the command in the environment variable Name. From is the source of its
// value, "env:NAME" or "file:PATH". The value is read when the stage starts and is not stored.
type Secret struct{ Name, From string }

// Network is the network access of an instance.
type Network string

// The kinds of network access.
const (
	NetworkNone     Network = "none"
	NetworkLoopback Network = "loopback"
	NetworkFull     Network = "full"
)

// Resources are the resources that an instance needs; zero means no requirement.
type Resources struct {
	CPUs     float64
	MemoryMB int64
}

// CachePolicy determines whether a result may be reused, and its maximum age. A TTL of zero means
// no limit.
type CachePolicy struct {
	Off bool
	TTL time.Duration
}

// Remote is the remote block. Secrets stand in it by reference, env:NAME or file:PATH. Paths are
// relative to the root.
type Remote struct {
	Cache                string            // an address, or empty
	Executor             string            // an address; empty: that of Cache
	Properties           map[string]string // of actions
	Mode                 string            // empty: the default
	Bearer               string
	Headers              map[string]string
	CertificateAuthority string
	ClientCertificate    string
	ClientKey            string
	CredentialHelper     string
	SigningKey           string
}
