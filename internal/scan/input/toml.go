package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// readTOML reads the configuration of Codex. It has the same entries as the others in
// another notation, so that it is read as JSON.
func readTOML(file string, text []byte) (*Input, error) {
	if len(text) > MaxFile {
		return nil, sizeError(file)
	}

	var tree map[string]any
	if err := toml.Unmarshal(text, &tree); err != nil {
		bad := &InputError{Place: Place{File: file}, Reason: "not TOML: " + err.Error(), Remedy: "correct it here"}
		var at *toml.DecodeError
		if errors.As(err, &at) {
			bad.Place.Line, bad.Column = at.Position()
		}

		return nil, bad
	}

	servers, ok := tree["mcp_servers"].(map[string]any)
	if !ok {
		return nil, &InputError{Place: Place{File: file}, Reason: "it declares no servers in mcp_servers",
			OtherKind: true, Remedy: "name another file"}
	}

	converted, err := json.Marshal(map[string]any{"mcp_servers": servers})
	if err != nil {
		return nil, &InputError{Place: Place{File: file},
			Reason: fmt.Sprintf("its servers have a value that is no text, number or list: %s",
				safetext.Clip(err.Error(), 200)), Remedy: "correct it"}
	}

	in, err := Read(file, "", converted)
	if err != nil {
		return nil, err
	}

	for i := range in.Servers {
		in.Servers[i].Place.Line = tableLine(text, in.Servers[i].Name)
	}

	for i := range in.Unscanned {
		in.Unscanned[i].Place.Line = tableLine(text, in.Unscanned[i].Server)
	}

	return in, nil
}

// tableLine returns the line of the table of a server, or 0 if it is written in another
// way.
func tableLine(text []byte, server string) int {
	name := regexp.QuoteMeta(server)
	table := regexp.MustCompile(`(?m)^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*(?:` + name + `|"` + name + `"|'` + name +
		`')[ \t]*[.\]]`)
	at := table.FindIndex(text)
	if at == nil {
		return 0
	}
	return 1 + strings.Count(string(text[:at[0]]), "\n")
}
