package workers

import (
	"maps"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/engine/image"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// defaultProperties are the platform properties of actions. The words in braces stand for what a stage
// declares. A property with a word that a stage does not declare is left out. OSFamily, ISA and
// container-image are the names of the protocol's platform lexicon. It has none for the others.
var defaultProperties = map[string]string{
	"OSFamily":        "{os}",
	"ISA":             "{isa}",
	"container-image": "docker://{image}",
	"cpus":            "{cpus}",
	"memory_mb":       "{memory_mb}",
}

// isas are the lexicon's names of processors.
var isas = map[string]string{
	"amd64": "x86-64", "386": "x86-32", "arm64": "arm-a64", "arm": "arm-a32", "riscv64": "rv64g",
	"ppc64": "power-isa-be", "ppc64le": "power-isa-le", "loong64": "la64v100",
}

// properties returns the platform properties of an instance. more are properties besides the default
// ones, or instead of them. One that is empty is left out.
func properties(more map[string]string, in *pipeline.Instance, root image.Root) map[string]string {
	declared := map[string]string{"image": root.Ref}
	if system, processor, ok := strings.Cut(in.Platform, "/"); ok {
		processor, _, _ = strings.Cut(processor, "/") // without a variant, as in arm64/v8
		declared["os"], declared["isa"] = system, processor
		if system == "darwin" {
			declared["os"] = "macos"
		}

		if name := isas[processor]; name != "" {
			declared["isa"] = name
		}
	}

	if n := in.Resources.CPUs; n > 0 {
		declared["cpus"] = strconv.FormatInt(int64(n), 10)
	}

	if n := in.Resources.MemoryMB; n > 0 {
		declared["memory_mb"] = strconv.FormatInt(n, 10)
	}

	all := maps.Clone(defaultProperties)
	maps.Copy(all, more)
	set := map[string]string{}
	for name, value := range all {
		if value = filled(value, declared); value != "" {
			set[name] = value
		}
	}

	return set
}

// filled replaces the words in braces, or returns nothing if one of them is not declared.
func filled(value string, declared map[string]string) string {
	for _, word := range []string{"os", "isa", "image", "cpus", "memory_mb"} {
		if in := "{" + word + "}"; strings.Contains(value, in) {
			if declared[word] == "" {
				return ""
			}
			value = strings.ReplaceAll(value, in, declared[word])
		}
	}
	return value
}
