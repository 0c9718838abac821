//go:build !containers

package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
)

// serverHelp is the description of the flag that names the server of a tools/list
// answer.
const serverHelp = "the name of the server, if the tools are a tools/list answer (default: the name of the file " +
	"without its extension)"

// readTools reads a corpus, or the answer of a server to tools/list. listed is
// set for an answer, whose version follows from its bytes.
func readTools(path, server string) (corpus contracts.Corpus, listed bool, err error) {
	data, err := contracts.ReadBytes(path)
	if err != nil {
		return corpus, false, err
	}
	if !isToolList(data) {
		corpus, err = contracts.Decode[contracts.Corpus](path, data)
		return corpus, false, err
	}
	corpus, _, err = corpusOfToolList(path, server, data)
	return corpus, true, err
}

// isToolList reports whether data is an answer to tools/list: a JSON-RPC response
// or its result, with tools that have a name and no tool_id. A list of servers with
// their tools is one, too.
func isToolList(data []byte) bool {
	type list struct {
		Tools []map[string]json.RawMessage `json:"tools"`
	}
	var answer struct {
		list
		Items  []map[string]json.RawMessage `json:"items"`
		Result *list                        `json:"result"`
	}
	if isNestedList(data) {
		return true
	}

	// Answers to several requests may follow one another.
	if json.NewDecoder(strings.NewReader(string(data))).Decode(&answer) != nil {
		return false
	}

	tools := slices.Concat(answer.Tools, answer.Items)
	if answer.Result != nil {
		tools = answer.Result.Tools
	}

	return len(tools) > 0 && !slices.ContainsFunc(tools, func(t map[string]json.RawMessage) bool {
		return t["name"] == nil || t["tool_id"] != nil || t["tool"] != nil
	})
}

// isNestedList reports whether data is a list of servers with their tools, which may be
// the items of a page or the servers of an object.
func isNestedList(data []byte) bool {
	type server struct {
		Tools []json.RawMessage `json:"tools"`
	}
	var page struct{ Items, Servers json.RawMessage }
	raw := json.RawMessage(data)
	if json.Unmarshal(data, &page) == nil {
		raw = slices.Concat(page.Items, page.Servers) // the other one is absent
	}

	var list []server
	var named map[string]server
	if json.Unmarshal(raw, &named) == nil {
		list = slices.Collect(maps.Values(named))
	} else if json.Unmarshal(raw, &list) != nil {
		return false
	}

	return len(list) > 0 && !slices.ContainsFunc(list, func(s server) bool { return s.Tools == nil })
}

// corpusOfToolList converts an answer to tools/list. The notes say what was added
// or dropped. A list that is not complete is an error.
func corpusOfToolList(path, server string, data []byte) (contracts.Corpus, []string, error) {
	if server == "" && !isNestedList(data) {
		server = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}

	in, err := input.Read(path, server, data)
	if err != nil {
		return contracts.Corpus{}, nil, err
	}

	if len(in.Unscanned) > 0 {
		u := in.Unscanned[0]
		return contracts.Corpus{}, nil, fmt.Errorf("%s: %s; %s", path, u.Reason, u.Remedy)
	}

	corpus := contracts.Corpus{
		Version:       digestVersion(data),
		GeneratedFrom: contracts.GeneratedFrom{Source: "the tools/list answer " + filepath.Base(path)},
	}
	schemaless := 0
	for _, t := range in.Tools {
		if strings.Contains(t.Server, ":") {
			return contracts.Corpus{}, nil, fmt.Errorf("%s: the server %q has a colon, which separates server and "+
				"tool in a tool_id; give it another name with --server", path, t.Server)
		}

		if len(t.InputSchema) == 0 {
			t.InputSchema = json.RawMessage(`{"type":"object"}`)
			schemaless++
		}

		corpus.Tools = append(corpus.Tools, contracts.Tool{
			ToolID: t.Server + ":" + t.Name, Server: t.Server, Tool: t.Name, Description: t.Description,
			Schema:       t.InputSchema,
			OutputSchema: t.OutputSchema, Annotations: t.Annotations,
		})
	}

	slices.SortStableFunc(corpus.Tools, func(a, b contracts.Tool) int { return strings.Compare(a.ToolID, b.ToolID) })
	notes := []string{fmt.Sprintf("%d tools of a tools/list answer became tools of the server %s", len(corpus.Tools),
		server)}
	if servers := serversOf(corpus); len(servers) != 1 || servers[0] != server {
		notes[0] = fmt.Sprintf("%d tools of %d servers were read: %s", len(corpus.Tools), len(servers),
			strings.Join(servers, ", "))
	}

	if schemaless > 0 {
		notes = append(notes, fmt.Sprintf(`a tool without a schema got {"type":"object"} (%d times)`, schemaless))
	}

	return corpus, notes, nil
}

// serversOf names the servers of a corpus, whose tools are sorted.
func serversOf(c contracts.Corpus) []string {
	var names []string
	for _, t := range c.Tools {
		if k := len(names); k == 0 || names[k-1] != t.Server {
			names = append(names, t.Server)
		}
	}
	return names
}

// digestVersion is the version of data that names none: equal bytes have one
// version.
func digestVersion(data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("imported-%x", sum[:6])
}
