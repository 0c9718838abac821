package gather

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
)

// Files reads the tools of tool lists, in all formats that touchstone scan
// reads. For the path "-" it reads stdin. Tools without a server belong to a
// server named after the file.
//
// The tools of a single file have the JSON Pointers of their places in it, so
// that the patches of recommendations apply.
func Files(ctx context.Context, paths []string, stdin io.Reader) ([]similarity.Tool, error) {
	var text bytes.Buffer
	in, err := input.ReadPaths(ctx, paths, input.ReadOptions{Stdin: io.TeeReader(stdin, &text)})
	if err != nil {
		return nil, err
	}

	tools, err := read(in)
	if err != nil || len(paths) != 1 {
		return tools, err
	}

	if st, err := os.Stat(paths[0]); paths[0] != "-" && err == nil && st.Mode().IsRegular() {
		b, err := readlimit.File(ctx, paths[0], input.MaxFile)
		if err != nil {
			return nil, err
		}

		text.Write(b)
	}

	point(tools, text.Bytes())
	return tools, nil
}

func read(in *input.Input) ([]similarity.Tool, error) {
	if len(in.Servers) > 0 {
		s := in.Servers[0]
		return nil, fmt.Errorf("%s declares servers and has no tools: register them with `touchstone eval servers add`",
			s.Place)
	}

	if len(in.Unscanned) > 0 {
		u := in.Unscanned[0]
		return nil, fmt.Errorf("%s: tool %q: %s: %s", u.Place, u.Tool, u.Reason, u.Remedy)
	}

	tools := make([]similarity.Tool, 0, len(in.Tools))
	for _, t := range in.Tools {
		tools = append(tools, similarity.Tool{
			ID: t.Server + ":" + t.Name, Server: t.Server, Name: t.Name, Description: t.Description,
			InputSchema: t.InputSchema,
		})
	}

	return tools, nil
}

// point sets the JSON Pointers of tools from a text with one JSON value. A tool
// whose place is uncertain gets none: the element must have its name and
// description.
func point(tools []similarity.Tool, text []byte) {
	base, list := elements(text)
	from := 0
	for i := range tools {
		for at := from; at < len(list); at++ {
			e := list[at]
			if e.isOf(tools[i]) {
				tools[i].Pointer = fmt.Sprintf("%s/%d", base, at)
				from = at + 1
				break
			}
		}
	}
}

// element holds the fields of a list's element that identify the tool.
type element struct {
	Name        string  `json:"name"`
	Tool        string  `json:"tool"`
	Server      string  `json:"server"`
	Description *string `json:"description"`
}

func (e element) isOf(t similarity.Tool) bool {
	description := ""
	if e.Description != nil {
		description = *e.Description
	}
	return (e.Name == t.Name || e.Tool == t.Name) && (e.Server == "" || e.Server == t.Server) &&
		description == t.Description
}

// elements finds the list of tools in a text, and its JSON Pointer.
func elements(text []byte) (pointer string, list []element) {
	if json.Unmarshal(text, &list) == nil {
		return "", list
	}

	var object struct {
		Tools  json.RawMessage `json:"tools"`
		Result struct {
			Tools json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if json.Unmarshal(text, &object) != nil {
		return "", nil
	}

	if json.Unmarshal(object.Tools, &list) == nil {
		return "/tools", list
	}

	if json.Unmarshal(object.Result.Tools, &list) == nil {
		return "/result/tools", list
	}

	return "", nil
}
