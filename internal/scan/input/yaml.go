package input

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

func isYAML(p string) bool {
	ext := strings.ToLower(filepath.Ext(p))
	return ext == ".yaml" || ext == ".yml"
}

// readYAML reads the configuration of a client in YAML. It has the same entries as the others in another notation, so
// that it is read as JSON. Tools in YAML are not read, and neither is any other YAML.
func readYAML(file string, text []byte) (*Input, error) {
	if len(text) > MaxFile {
		return nil, sizeError(file)
	}

	if json.Valid(text) { // which is YAML too
		return Read(file, serverOf(file), text)
	}

	other := &InputError{Place: Place{File: file},
		Reason: "it is YAML, not JSON, and declares no servers of an MCP client",
		Remedy: "convert it to JSON", OtherKind: true}
	var node yaml.Node
	var tree map[string]any
	if err := yaml.Unmarshal(text, &node); err != nil {
		return nil, &InputError{Place: Place{File: file}, Reason: "not YAML: " + safetext.Clip(err.Error(), 200),
			Remedy: "correct it here"}
	}

	if node.Decode(&tree) != nil || len(tree) == 0 {
		return nil, other
	}

	if extensions, ok := tree["extensions"].(map[string]any); ok { // as Goose has them
		tree = map[string]any{"mcpServers": withoutBuiltIn(extensions)}
	}

	converted, err := json.Marshal(tree)
	if err != nil {
		return nil, &InputError{Place: Place{File: file}, Remedy: "correct it",
			Reason: fmt.Sprintf("it has a value that is no text, number or list: %s", safetext.Clip(err.Error(), 200))}
	}

	in, err := Read(file, "", converted)
	if err != nil {
		return nil, other
	}

	if len(in.Servers)+len(in.Unscanned) == 0 || len(in.Tools) > 0 {
		return nil, other
	}

	for i := range in.Servers {
		in.Servers[i].Place.Line = yamlLine(&node, in.Servers[i].Name)
	}

	for i := range in.Unscanned {
		in.Unscanned[i].Place.Line = yamlLine(&node, in.Unscanned[i].Server)
	}

	return in, nil
}

// withoutBuiltIn returns the extensions of Goose that are servers: the others are part of it.
func withoutBuiltIn(extensions map[string]any) map[string]any {
	servers := map[string]any{}
	for name, e := range extensions {
		if fields, ok := e.(map[string]any); ok && (fields["cmd"] != nil || fields["uri"] != nil) {
			servers[name] = e
		}
	}
	return servers
}

// yamlLine returns the line of the first key or name with a text, or 0.
func yamlLine(n *yaml.Node, text string) int {
	if n.Kind == yaml.ScalarNode && n.Value == text {
		return n.Line
	}
	for _, c := range n.Content {
		if line := yamlLine(c, text); line > 0 {
			return line
		}
	}
	return 0
}
