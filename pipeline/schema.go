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
	scopeInclude          = scopeResult | readsMatrix
)

var rootNames = [...]struct {
	root roots
	name string
	doc  string
}{
	{readsVar, "var", "`var.NAME`: the value of a variable."},
	{readsLocal, "local", "`local.NAME`: the value of a local."},
	{readsMatrix, "matrix", "`matrix.AXIS`: the value of an axis in the current instance."},
	{readsInput, "input", "`input.NAME`: the path of an input of the stage, relative to the command's working " +
		"directory, or null if the input was omitted."},
	{readsOutput, "output", "`output.NAME`: the path where the command must write an output of the stage."},
	{readsStage, "stage", "`stage.NAME.OUTPUT`: an output of another stage or, for a stage with a matrix, that " +
		"output of all instances. `stage.NAME[\"run=1\"].OUTPUT` is the output of one instance. The value is null " +
		"if the stage is off."},
	{readsInclude, "include", "`include.NAME.OUTPUT`: an output of the included files."},
	{readsPath, "path", "`path.module`: the directory of the file, relative to the pipeline's directory. It is `.` " +
		"in the pipeline itself. An included file uses it to refer to files in its own directory."},
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
	doc: "A pipeline file contains only blocks. Neither their order nor the file that a block is " +
		"in affects the pipeline.",
	blocks: []*block{pipelineSchema, variableSchema, localsSchema, stageSchema, includeSchema, moduleOutputSchema},
}

var pipelineSchema = &block{
	name: "pipeline",
	doc:  "The settings of the whole pipeline. Optional, and allowed once.",
	attrs: []attribute{
		{name: "name", typ: "string", def: "the directory's name", scope: scopeConstant,
			doc: "The name of the pipeline in messages and in the history of the cache."},
		{name: "required_version", typ: "string", scope: scopeConstant,
			doc: "The versions of touchstone that may run the pipeline: a list of constraints such as `>= 0.1.0, < " +
				"2.0.0`. Builds without a release version are not checked."},
		{name: "extends", typ: "string", scope: scopeConstant,
			doc: "A pipeline that is part of the program, such as `builtin:evaluation@1`: its stages, variables and " +
				"settings become those of this pipeline. See [Extended pipelines](#extended-pipelines)."},
		{name: "defaults", typ: "map of values", scope: scopeConstant,
			doc: "Other defaults for variables, by name, mostly for those of the extended pipeline."},
		{name: "verdict", typ: "output of a stage", scope: scopeResult,
			doc: "The output that decides whether the pipeline passes: a JSON object with a boolean `passed`. " +
				"Without it, `run` passes if every stage succeeds, and `gate` has nothing to judge and exits with 2."},
		{name: "baseline", typ: "string", scope: scopeStatic,
			doc: "The committed file that the verdict is based on, relative to the pipeline's directory. `gate` " +
				"fails before it runs anything if the file is missing. `baseline` shows and writes the file. Other " +
				"commands do not need it."},
		{name: "publish", typ: "map of outputs", scope: scopeResult,
			doc: "The outputs that a successful run copies into the source tree. It maps each path, relative to the " +
				"pipeline's directory, to an output."},
	},
	blocks: []*block{trustSchema, remoteSchema},
}

var trustSchema = &block{
	name: "trust",
	doc: "Lists the signers whose results are accepted in addition to local ones. See " +
		"[Trust](../explanation/trust.md).",
	attrs: []attribute{
		{name: "allowed_signers", typ: "string", required: true, scope: scopeConstant,
			doc: "The file that lists the keys whose signed results are accepted, from `cache import` and from a " +
				"remote cache, in the format that git and `ssh-keygen` use. The path is relative to the pipeline's " +
				"directory. `cache import --allowed-signers` and `TOUCHSTONE_ALLOWED_SIGNERS` override it."},
	},
}

var remoteSchema = &block{
	name: "remote",
	doc: "A cache that machines share, and workers that run stages, at servers of the Remote Execution API v2. See " +
		"[Share a cache](../how-to/share-a-cache.md#with-a-server) and [Run on " +
		"workers](../how-to/run-on-workers.md). At least one of `cache` and `executor` is needed. Secrets are given " +
		"by reference: `env:NAME` for an environment variable, or `file:PATH`.",
	attrs: []attribute{
		{name: "cache", typ: "string", scope: scopeConstant,
			doc: "The address of the cache: `grpcs://HOST[:PORT][/INSTANCE]`, or `grpc://` without encryption. " +
				"`--remote-cache` and `TOUCHSTONE_REMOTE_CACHE` override it."},
		{name: "executor", typ: "string", def: "that of the cache", scope: scopeConstant,
			doc: "The address of the server whose workers run stages with `--executor remote`. " +
				"`TOUCHSTONE_REMOTE_EXECUTOR` overrides it."},
		{name: "properties", typ: "map of strings", def: "{}", scope: scopeConstant,
			doc: "Platform properties that select workers, besides those that [a stage's " +
				"declarations](../reference/cli.md#remote-executor) make. In a value, `{os}`, `{isa}`, `{image}`, " +
				"`{cpus}` and `{memory_mb}` stand for what a stage declares. An empty value leaves a property out. " +
				"`TOUCHSTONE_REMOTE_PROPERTY` overrides single ones."},
		{name: "mode", typ: "string", def: `"read"`, scope: scopeConstant,
			doc: "`read`, `read-write` or `off`. `TOUCHSTONE_REMOTE_MODE` overrides it."},
		{name: "bearer", typ: "string", scope: scopeConstant,
			doc: "The reference of a token, which is sent in the header `authorization`."},
		{name: "headers", typ: "map of strings", def: "{}", scope: scopeConstant,
			doc: "The references of other headers, by name."},
		{name: "certificate_authority", typ: "string", def: "those of the system", scope: scopeConstant,
			doc: "The file with the certificate authorities that may sign the server's certificate, in PEM."},
		{name: "client_certificate", typ: "string", scope: scopeConstant,
			doc: "The reference of the client certificate, in PEM."},
		{name: "client_key", typ: "string", scope: scopeConstant,
			doc: "The reference of the client certificate's key, in PEM."},
		{name: "credential_helper", typ: "string", scope: scopeConstant,
			doc: "A program that prints the headers, in the protocol of Bazel's credential helpers."},
		{name: "signing_key", typ: "string", scope: scopeConstant,
			doc: "The reference of the key that signs what is uploaded. `TOUCHSTONE_REMOTE_SIGN` overrides it."},
	},
}

var variableSchema = &block{
	name: "variable", label: "name", repeat: true,
	doc: "A setting of the pipeline, read as `var.NAME`. Its value comes from `--var NAME=VALUE`, a `--var-file`, " +
		"the environment variable `TOUCHSTONE_VAR_NAME` or its default. The first of these that is set applies.",
	attrs: []attribute{
		{name: "type", typ: "type", def: "any", scope: scopeConstant,
			doc: "`string`, `number`, `bool`, `any`, `list(T)`, `set(T)`, `map(T)`, `tuple([T, ...])` or " +
				"`object({name = T, other = optional(T, default)})`. Values are converted to it."},
		{name: "default", typ: "of the type", scope: scopeConstant,
			doc: "The value if no other is set. A variable without a default must be set."},
		{name: "description", typ: "string", def: `""`, scope: scopeConstant,
			doc: "The purpose of the variable."},
		{name: "sensitive", typ: "bool", def: "false", scope: scopeConstant,
			doc: "Keeps the value, and every value derived from it, out of plans and messages, and out of the logs " +
				"and reports of stages, also if it is encoded as base64, hexadecimal, for a URL or for JSON. It may " +
				"only be used in `command` and `env`. Use `secrets` for credentials: they also keep " +
				"the value out of the key."},
	},
	blocks: []*block{{
		name: "validation", repeat: true,
		doc: "A rule that the value must meet.",
		attrs: []attribute{
			{name: "condition", typ: "bool", required: true, scope: scopeValidation,
				doc: "A condition that must be true. It may refer to variables."},
			{name: "error_message", typ: "string", required: true, scope: scopeValidation,
				doc: "The message if the condition is false: one sentence that describes the valid values."},
		},
	}},
}

var localsSchema = &block{
	name: "locals", repeat: true,
	doc: "Named values. Stages and other locals read each as `local.NAME`.",
	free: &attribute{name: "NAME", typ: "any", scope: scopeStatic,
		doc: "The value. It may refer to variables and other locals, but not to stages, because outputs do not " +
			"exist yet when locals are evaluated."},
}

var stageSchema = &block{
	name: "stage", label: "name", repeat: true,
	doc: "A command that reads declared inputs and writes declared outputs. It runs in a new directory that only " +
		"contains its inputs, with an environment that only contains the declared variables.",
	attrs: []attribute{
		{name: "description", typ: "string", def: `""`, scope: scopeStatic,
			doc: "A description of the stage."},
		{name: "command", typ: "list of strings", required: true, scope: scopeCommand,
			doc: "The program and its arguments. The program is searched in the directories of `PATH` in `env` or, " +
				"without it, in the system's directories. It runs without a shell; write `[\"sh\", \"-c\", " +
				"\"...\"]` to use one. Numbers and booleans are converted to text. Null elements are omitted."},
		{name: "stdin", typ: "string", def: "none", scope: scopeCommand,
			doc: "The input that the command reads as its standard input, `input.NAME`. Without it, the standard input is " +
				"empty."},
		{name: "stdout", typ: "string", def: "none", scope: scopeCommand,
			doc: "The output that the standard output of the command becomes, `output.NAME`. It is then not a part of the " +
				"log. A filter needs no shell: `command = [\"sort\"]`."},
		{name: "when", typ: "bool", def: "true", scope: scopeOutputs,
			doc: "Whether the stage runs. If it is false, the stage, or the instance of its matrix, is off: only " +
				"the names of its outputs are evaluated, and its outputs are null for the stages that read them. " +
				"See [Stages that do not always run](#stages-that-do-not-always-run)."},
		{name: "on_demand", typ: "bool", def: "false", scope: scopeStatic,
			doc: "Excludes the stage from ordinary runs: it only runs if it is named with `--only`, `--from` or " +
				"`--until` (a manual stage). Other stages cannot depend on it, unless they are manual too."},
		{name: "depends_on", typ: "list of stages", def: "[]", scope: scopeConstant,
			doc: "Stages that must succeed before this one starts, although it does not read their outputs: " +
				"`stage.NAME`, or `include.NAME` for all stages of an include. They only affect the order and are " +
				"not part of the key."},
		{name: "inputs", typ: "map", def: "{}", scope: scopeInputs,
			doc: "The files that the command may read, by name. See [Inputs](#inputs)."},
		{name: "outputs", typ: "map of strings", def: "{}", scope: scopeOutputs,
			doc: "The paths that the command writes, by name. All are below `out/`. A path that ends in `/` is a " +
				"directory, any other path is a file. The directories above an output exist when the command " +
				"starts; the command itself creates a directory output. The names are the same in every instance."},
		{name: "env", typ: "map of strings", def: "{}", scope: scopeCommand,
			doc: "Environment variables of the command. A variable that is null is not set. These are set by " +
				"default: `PATH` (the system's directories), `HOME` (a directory that does not exist), " +
				"`LANG=C.UTF-8`, `LC_ALL=C.UTF-8` (unless the stage sets a locale), `TZ=UTC`, `SOURCE_DATE_EPOCH=315532800` and " +
				"`TMPDIR`."},
		{name: "passthrough", typ: "list of strings", def: "[]", scope: scopeStatic,
			doc: "Names of environment variables of the host that are passed to the command. The names are part of " +
				"the key, the values are not. Only use it for variables that do not affect the result, such as the " +
				"location of a compiler's cache."},
		{name: "secrets", typ: "map of strings", def: "{}", scope: scopeStatic,
			doc: "Environment variables whose values are read from `env:NAME` or `file:PATH` when the stage starts. " +
				"The values are not stored. The reference is part of the key, the value is not."},
		{name: "timeout", typ: "string", def: "none", scope: scopeStatic,
			doc: "The time limit of one attempt, such as `90s`, `5m` or `1h30m`. At the limit, its processes are " +
				"killed and the attempt fails."},
		{name: "retries", typ: "number", def: "0", scope: scopeStatic,
			doc: "The number of further attempts after a command fails, 0 to 10."},
		{name: "network", typ: "string", def: `"none"`, scope: scopeStatic,
			doc: "The network access of the command: `none`, `loopback` (only servers that it starts itself, also " +
				"over Unix sockets) or `full`."},
		{name: "image", typ: "string", def: `""`, scope: scopeStatic,
			doc: "The container image to run in, if the executor uses containers."},
		{name: "platform", typ: "string", def: `""`, scope: scopeStatic,
			doc: "The platform to run on, `OS/ARCHITECTURE`, such as `linux/arm64`. On other platforms the stage " +
				"fails before it starts."},
	},
	blocks: []*block{matrixSchema, resourcesSchema, cacheSchema},
}

var matrixSchema = &block{
	name: "matrix",
	doc: "Runs the stage, or all stages of the include, once for every combination of the axes' values. The name of " +
		"an instance lists the values of its axes, sorted by axis: `detector=naive,run=1`.",
	free: &attribute{name: "AXIS", typ: "list", scope: scopeStatic,
		doc: "The values of the axis: distinct strings, numbers or booleans."},
	attrs: []attribute{
		{name: "exclude", typ: "list of objects", def: "[]", scope: scopeStatic,
			doc: "Combinations to omit. Each object contains values of some axes, and removes every combination " +
				"that has all of them."},
	},
}

var resourcesSchema = &block{
	name: "resources",
	doc:  "The resources that the command needs, for the scheduler. They are not part of the key.",
	attrs: []attribute{
		{name: "cpus", typ: "number", def: "0", scope: scopeStatic,
			doc: "The number of processors that the command uses. 0 means unspecified."},
		{name: "memory_mb", typ: "number", def: "0", scope: scopeStatic,
			doc: "The memory that the command needs, in MiB. 0 means unspecified. On a machine with less memory, " +
				"the stage fails before it starts."},
	},
}

var cacheSchema = &block{
	name: "cache",
	doc:  "Whether a result may be reused, and for how long.",
	attrs: []attribute{
		{name: "mode", typ: "string", def: `"on"`, scope: scopeStatic,
			doc: "`on`, or `off` to run the stage in every run."},
		{name: "ttl", typ: "string", def: "for ever", scope: scopeStatic,
			doc: "The maximum age of a result, such as `24h`."},
	},
}

var includeSchema = &block{
	name: "include", label: "name", repeat: true,
	doc: "Adds the stages of another pipeline file or directory to this pipeline. Their names start with the name " +
		"of the include: `NAME/STAGE`, or `NAME[AXIS=VALUE]/STAGE` with a matrix. See [Included files](#included-files).",
	attrs: []attribute{
		{name: "source", typ: "string", required: true, scope: scopeConstant,
			doc: "A directory with a `pipeline.hcl`, or a pipeline file. The path is relative to the file that " +
				"contains the block."},
		{name: "inputs", typ: "map", def: "{}", scope: scopeInclude,
			doc: "Values for the variables of the included files, by name. They are converted and validated like " +
				"other values of variables. `--var` and the environment do not set variables of included files."},
	},
	blocks: []*block{matrixSchema},
}

var moduleOutputSchema = &block{
	name: "output", label: "name", repeat: true,
	doc: "An output of an included pipeline. The including pipeline reads it as `include.INCLUDE.NAME`. In a " +
		"pipeline that is not included it has no effect.",
	attrs: []attribute{
		{name: "value", typ: "output of a stage", required: true, scope: scopeResult,
			doc: "The output."},
		{name: "description", typ: "string", def: `""`, scope: scopeConstant,
			doc: "A description of the output."},
	},
}
