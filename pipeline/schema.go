package pipeline

// The grammar as data. The decoder checks every block against these tables, and the reference of the
// language is generated from them, so the documentation matches the decoder. Each block is implemented
// in a file of its own.

// roots is the set of names with which a reference may start.
type roots uint8

const (
	readsVar roots = 1 << iota
	readsLocal
	readsMatrix
	readsInput
	readsOutput
	readsStage
	readsInclude
	readsPath
)

// The scopes of the language. Expressions that affect a stage's key per cell of its matrix may use
// matrix. Settings of the whole stage may not.
const (
	scopeConstant   roots = 0
	scopeValidation       = readsVar
	scopeStatic           = readsVar | readsLocal | readsPath
	scopeOutputs          = scopeStatic | readsMatrix
	scopeInputs           = scopeStatic | readsMatrix | readsStage | readsInclude
	scopeCommand          = scopeStatic | readsMatrix | readsInput | readsOutput
	scopeResult           = scopeStatic | readsStage | readsInclude
	scopeInclude          = scopeResult
)

var rootNames = [...]struct {
	root roots
	name string
	doc  string
}{
	{readsVar, "var", "`var.NAME`: the value of a variable."},
	{readsLocal, "local", "`local.NAME`: the value of a local."},
	{readsMatrix, "matrix", "`matrix.AXIS`: the value of an axis in the instance at hand."},
	{readsInput, "input", "`input.NAME`: where an input of the stage is put, relative to the directory the command runs in; null when the input was left out."},
	{readsOutput, "output", "`output.NAME`: where the command has to write an output of the stage."},
	{readsStage, "stage", "`stage.NAME.OUTPUT`: an output of another stage; of a stage with a matrix, the outputs of all instances. `stage.NAME[\"run=1\"].OUTPUT` is that of one instance. Null where the stage is off."},
	{readsInclude, "include", "`include.NAME.OUTPUT`: an output that the included files declare."},
	{readsPath, "path", "`path.module`: the directory of the file, relative to that of the pipeline: `.` in the pipeline itself. An included file names what lies beside it with it."},
}

// attribute is one name = expression of a block.
type attribute struct {
	name     string
	typ      string
	def      string // description of the default, or ""
	required bool
	scope    roots
	doc      string
}

// block is one type of block. A block whose free is set accepts attributes of any name, described by
// free.
type block struct {
	name   string
	label  string // description of the label, or "" for a block without label
	repeat bool
	doc    string
	free   *attribute
	attrs  []attribute
	blocks []*block
}

func (b *block) attr(name string) *attribute {
	for i := range b.attrs {
		if b.attrs[i].name == name {
			return &b.attrs[i]
		}
	}
	return nil
}

func (b *block) block(name string) *block {
	for _, nested := range b.blocks {
		if nested.name == name {
			return nested
		}
	}
	return nil
}

// names lists the attributes and blocks of the block, for suggestions.
func (b *block) names() []string {
	var names []string
	for _, a := range b.attrs {
		names = append(names, a.name)
	}
	for _, nested := range b.blocks {
		names = append(names, nested.name)
	}
	return names
}

var fileSchema = &block{
	doc:    "A pipeline file holds blocks only. Their order does not matter, nor which file of the directory a block stands in.",
	blocks: []*block{pipelineSchema, variableSchema, localsSchema, stageSchema, includeSchema, moduleOutputSchema},
}

var pipelineSchema = &block{
	name: "pipeline",
	doc:  "Settings of the pipeline as a whole. Optional; at most one.",
	attrs: []attribute{
		{name: "name", typ: "string", def: "the directory's name", scope: scopeConstant,
			doc: "How the pipeline is called in messages and in the cache's history."},
		{name: "required_version", typ: "string", scope: scopeConstant,
			doc: "Which versions of touchstone may run it: a list of constraints such as `>= 0.1.0, < 2.0.0`. A build without a release version is not checked."},
		{name: "verdict", typ: "output of a stage", scope: scopeResult,
			doc: "The output that decides whether the pipeline passed: a JSON object with a boolean `passed`. Without it a run in which every stage succeeded has passed."},
		{name: "baseline", typ: "string", scope: scopeStatic,
			doc: "The committed file that the verdict rests on, relative to the pipeline's directory: `gate` asks for it before it runs anything, and `baseline` shows and writes it. It need not exist."},
		{name: "publish", typ: "map of outputs", scope: scopeResult,
			doc: "What a successful run copies into the tree: path, relative to the pipeline's directory, to output."},
	},
}

var variableSchema = &block{
	name: "variable", label: "name", repeat: true,
	doc: "A value that is set from outside: by `--var NAME=VALUE`, else by a `--var-file`, else by the environment variable `TOUCHSTONE_VAR_NAME`, else by its default. Read as `var.NAME`.",
	attrs: []attribute{
		{name: "type", typ: "type", def: "any", scope: scopeConstant,
			doc: "`string`, `number`, `bool`, `any`, `list(T)`, `set(T)`, `map(T)`, `tuple([T, ...])` or `object({name = T, other = optional(T, default)})`. Values are converted to it."},
		{name: "default", typ: "of the type", scope: scopeConstant,
			doc: "The value when none is set. A variable without a default must be set."},
		{name: "description", typ: "string", def: `""`, scope: scopeConstant,
			doc: "What the variable is for."},
		{name: "sensitive", typ: "bool", def: "false", scope: scopeConstant,
			doc: "Keeps the value, and everything derived from it, out of plans and messages. It may be used in `command` and `env` only. For credentials use `secrets`, which also keep the value out of the key."},
	},
	blocks: []*block{{
		name: "validation", repeat: true,
		doc: "A rule that the value has to meet.",
		attrs: []attribute{
			{name: "condition", typ: "bool", required: true, scope: scopeValidation,
				doc: "Must be true. It may refer to variables."},
			{name: "error_message", typ: "string", required: true, scope: scopeValidation,
				doc: "What to say when it is not: one sentence that tells which values are right."},
		},
	}},
}

var localsSchema = &block{
	name: "locals", repeat: true,
	doc: "Named values. Each is read as `local.NAME`, by stages and by other locals.",
	free: &attribute{name: "NAME", typ: "any", scope: scopeStatic,
		doc: "The value; it may refer to variables and other locals, but not to stages: outputs do not exist yet when locals are evaluated."},
}

var stageSchema = &block{
	name: "stage", label: "name", repeat: true,
	doc: "A command that reads declared inputs and writes declared outputs. It runs in a fresh directory that holds its inputs and nothing else, with an environment that holds what is declared here and nothing else.",
	attrs: []attribute{
		{name: "description", typ: "string", def: `""`, scope: scopeStatic,
			doc: "What the stage does."},
		{name: "command", typ: "list of strings", required: true, scope: scopeCommand,
			doc: "The program and its arguments. It is looked for in the directories of the PATH that `env` declares, or else in the system's. No shell takes part; write `[\"sh\", \"-c\", \"...\"]` where one is wanted. Numbers and booleans become text, and an element that is null is left out."},
		{name: "when", typ: "bool", def: "true", scope: scopeOutputs,
			doc: "Whether the stage runs. Where it is false the stage, or that instance of its matrix, is off: nothing of it is evaluated but its outputs' names, and its outputs are null to the stages that read them. See [Stages that do not always run](#stages-that-do-not-always-run)."},
		{name: "on_demand", typ: "bool", def: "false", scope: scopeStatic,
			doc: "Takes the stage out of ordinary runs: it runs only when it is named with `--only`, `--from` or `--until`. Stages of every run cannot need it."},
		{name: "depends_on", typ: "list of stages", def: "[]", scope: scopeConstant,
			doc: "Stages, `stage.NAME`, or all stages of an include, `include.NAME`, that have to succeed before this one starts although it reads nothing of them. Only the order is declared: what they do is not part of the key."},
		{name: "inputs", typ: "map", def: "{}", scope: scopeInputs,
			doc: "What the command may read, by name. See [Inputs](#inputs)."},
		{name: "outputs", typ: "map of strings", def: "{}", scope: scopeOutputs,
			doc: "What the command writes, by name: paths below `out/`. A path that ends in `/` is a directory, any other a file. The names are the same in every instance."},
		{name: "env", typ: "map of strings", def: "{}", scope: scopeCommand,
			doc: "Environment variables of the command. One that is null is left unset. Without being named there are `PATH` (the system's directories), `HOME` (which is not there), `LANG=C.UTF-8`, `TZ=UTC` and `TMPDIR`."},
		{name: "passthrough", typ: "list of strings", def: "[]", scope: scopeStatic,
			doc: "Names of the host's environment variables that are handed on. The names are in the key, the values are not: only for what does not change the result, such as the place of a compiler's cache."},
		{name: "secrets", typ: "map of strings", def: "{}", scope: scopeStatic,
			doc: "Environment variables whose values are read when the stage starts, from `env:NAME` or `file:PATH`, and are kept nowhere. The reference is in the key, the value is not."},
		{name: "timeout", typ: "string", def: "none", scope: scopeStatic,
			doc: "How long one attempt may take, such as `90s`, `5m` or `1h30m`; then its processes are killed and the stage has failed."},
		{name: "retries", typ: "number", def: "0", scope: scopeStatic,
			doc: "How many more times a failed command is tried, 0 to 10."},
		{name: "network", typ: "string", def: `"none"`, scope: scopeStatic,
			doc: "What the command may reach: `none`, `loopback` (servers that it starts itself) or `full`."},
		{name: "image", typ: "string", def: `""`, scope: scopeStatic,
			doc: "The container image to run in, where the executor uses containers."},
		{name: "platform", typ: "string", def: `""`, scope: scopeStatic,
			doc: "The platform it runs on, `OS/ARCHITECTURE`, such as `linux/arm64`; on another it fails at once."},
	},
	blocks: []*block{matrixSchema, resourcesSchema, cacheSchema},
}

var matrixSchema = &block{
	name: "matrix",
	doc:  "Runs the stage once for every combination of the axes' values. An instance is named after its values, by axis in alphabetical order: `detector=naive,run=1`.",
	free: &attribute{name: "AXIS", typ: "list", scope: scopeStatic,
		doc: "The axis's values: strings, numbers or booleans, each once."},
	attrs: []attribute{
		{name: "exclude", typ: "list of objects", def: "[]", scope: scopeStatic,
			doc: "Combinations to leave out: each object names values of some axes and removes every combination that has them all."},
	},
}

var resourcesSchema = &block{
	name: "resources",
	doc:  "What the command needs, for the scheduler. Not part of the key.",
	attrs: []attribute{
		{name: "cpus", typ: "number", def: "0", scope: scopeStatic,
			doc: "Processors that it keeps busy; 0 is no wish."},
		{name: "memory_mb", typ: "number", def: "0", scope: scopeStatic,
			doc: "Memory in MiB; 0 is no wish. The stage fails at once where there is less."},
	},
}

var cacheSchema = &block{
	name: "cache",
	doc:  "Whether and for how long a result may be used again.",
	attrs: []attribute{
		{name: "mode", typ: "string", def: `"on"`, scope: scopeStatic,
			doc: "`on`, or `off` to run the stage every time."},
		{name: "ttl", typ: "string", def: "for ever", scope: scopeStatic,
			doc: "How old a result may be, such as `24h`."},
	},
}

var includeSchema = &block{
	name: "include", label: "name", repeat: true,
	doc: "The stages of another pipeline file or directory, as part of this pipeline. Their names begin with the include's: `NAME/STAGE`. See [Included files](#included-files).",
	attrs: []attribute{
		{name: "source", typ: "string", required: true, scope: scopeConstant,
			doc: "A directory that holds a `pipeline.hcl`, or a pipeline file, relative to the file that the block stands in."},
		{name: "inputs", typ: "map", def: "{}", scope: scopeInclude,
			doc: "Values of the variables that the included files declare, by name. They are converted and validated like values from outside, and are the only ones: `--var` and the environment reach the pipeline's own variables."},
	},
}

var moduleOutputSchema = &block{
	name: "output", label: "name", repeat: true,
	doc: "What a pipeline hands on to one that includes it, where it is read as `include.INCLUDE.NAME`. Without an including pipeline it has no effect.",
	attrs: []attribute{
		{name: "value", typ: "output of a stage", required: true, scope: scopeResult,
			doc: "The output."},
		{name: "description", typ: "string", def: `""`, scope: scopeConstant,
			doc: "What the output holds."},
	},
}
