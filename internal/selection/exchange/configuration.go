package exchange

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/internal/selection"
)

// readConfiguration reads the servers of the configuration of any client that the
// scanner reads. Variables stay references. A value that is written out could be a
// secret, so it is not stored: it is read from the environment, and a note says so.
func readConfiguration(data []byte) (Set, bool) {
	in, err := input.Read("mcp.json", "", data)
	if err != nil || len(in.Servers) == 0 || len(in.Tools) > 0 {
		return Set{}, false
	}

	set := Set{Cases: []Case{}}
	for _, s := range in.Servers {
		server := Server{Name: s.Name, URL: s.URL}
		if len(s.Command) > 0 {
			server.URL = selection.CommandURL(s.Command)
		}

		if s.Transport == "sse" {
			server.Transport = string(selection.SSE)
		}

		server.Headers = set.references(s.Name, s.Headers, func(name string) string { return s.Name + "_" + name })
		server.Env = set.references(s.Name, s.Env, func(name string) string { return name })
		set.Servers = append(set.Servers, server)
	}

	return set, true
}

// listsTools reports whether a text is a list of tools, in a format that the scanner
// reads.
func listsTools(data []byte) bool {
	in, err := input.Read("tools.json", "", data)
	return err == nil && len(in.Tools) > 0
}

// references are the values of a server with references in place of what is written
// out. variable names the variable for a value.
func (s *Set) references(server string, values map[string]string, variable func(string) string) map[string]string {
	if len(values) == 0 {
		return nil
	}

	kept := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, err := selection.Reference(values[name])
		if err != nil {
			variable := variableName(variable(name))
			value = "${env:" + variable + "}"
			s.Notes = append(s.Notes,
				fmt.Sprintf("server %q: the value of %s is written out and was not stored; it is "+
					"read from the environment variable %s", server, name, variable))
		}

		kept[name] = value
	}

	return kept
}

// variableName makes a name of an environment variable.
func variableName(text string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(text))
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// Replace replaces ${NAME} by a value in the text of a file, as the templates of
// mcp-tef's test cases need it. It returns the names that the text does not have.
func Replace(data []byte, values map[string]string) (replaced []byte, unused []string) {
	text := string(data)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		place := "${" + name + "}"
		if !strings.Contains(text, place) {
			unused = append(unused, name)
		}

		quoted, err := json.Marshal(values[name])
		if err != nil { // a string can always be encoded
			panic(err)
		}

		text = strings.ReplaceAll(text, place, strings.Trim(string(quoted), `"`))
	}

	return []byte(text), unused
}
