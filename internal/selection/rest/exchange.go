package rest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/advice"
	"github.com/touchstone-eval/touchstone/internal/selection/exchange"
	"github.com/touchstone-eval/touchstone/internal/selection/results"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

const importPath = prefix + "/import"

// mediaTypes are those of the formats of sets.
var mediaTypes = map[string]string{"json": "application/json", "yaml": "application/yaml",
	"csv": "text/csv; charset=utf-8"}

// sqliteMagic begins every SQLite file.
const sqliteMagic = "SQLite format 3\x00"

type importInput struct {
	Format  string `query:"format" enum:"json,yaml,csv" default:"json" doc:"Ignored for a SQLite file, which is told by its first bytes"`
	RawBody []byte `contentType:"application/octet-stream"`
}

// exported is the file of a set.
type exported struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

func (s *Service) addExchange() {
	register(s, huma.Operation{
		OperationID: "import", Method: http.MethodPost, Path: importPath, Tags: []string{"exchange"},
		DefaultStatus: http.StatusOK,
		Summary:       "Import servers and cases from JSON, YAML, CSV, or mcp-tef's test cases, runs or database",
		Description: "What is there already with equal content is not added again. Servers are not contacted, " +
			"and programs are not started. The cases are stored all or none. Runs of mcp-tef become one batch, " +
			"marked as imported; their cases have to be known.",
	}, func(ctx context.Context, in *importInput) (*body[exchange.Imported], error) {
		set, err := readSet(ctx, in.RawBody, in.Format)
		if err == nil {
			err = importable(set) // what is wrong with it is the sender's to mend
		}

		if err != nil {
			return nil, errInvalid(err.Error())
		}

		imported, err := exchange.Import(ctx, s.Store, set)
		if err != nil {
			return nil, err
		}

		return &body[exchange.Imported]{imported}, nil
	})
	register(s, huma.Operation{
		OperationID: "export", Method: http.MethodGet, Path: prefix + "/export", Tags: []string{"exchange"},
		Summary: "Export cases with the servers that they need; CSV holds cases alone",
	}, func(ctx context.Context, in *struct {
		Format string `query:"format" enum:"json,yaml,csv" default:"json"`
		Tag    string `query:"tag" maxLength:"100"`
	}) (*exported, error) {
		set, err := s.set(ctx, in.Tag)
		if err != nil {
			return nil, err
		}

		var text bytes.Buffer
		if err := set.Write(&text, in.Format); err != nil {
			return nil, err
		}

		return &exported{mediaTypes[in.Format], `attachment; filename="cases.` + in.Format + `"`, text.Bytes()}, nil
	})
	register(s, huma.Operation{
		OperationID: "results", Method: http.MethodGet, Path: prefix + "/results", Tags: []string{"exchange"},
		Summary: "Export the results of ended runs as CSV, JUnit XML or a page",
		Description: "Cancelled runs and those that were retried are left out. In CSV, a text that a spreadsheet " +
			"would read as a formula begins with an apostrophe.",
	}, s.results)
	register(s, huma.Operation{
		OperationID: "quality", Method: http.MethodGet, Path: prefix + "/quality", Tags: []string{"quality"},
		Summary:     "Check the names, descriptions and schemas of servers' tools",
		Description: "The servers are asked for their tools now.",
	}, s.quality)
}

func (s *Service) results(ctx context.Context, in *struct {
	RunFilter
	Format string `query:"format" enum:"csv,junit,html" default:"csv"`
}) (*exported, error) {
	filter, err := in.store()
	if err != nil {
		return nil, err
	}

	title := "Results"
	if in.Batch != "" {
		batch, err := s.Store.Batch(ctx, in.Batch)
		if errors.Is(err, store.ErrNotFound) { // a filter names it, and not the path
			return nil, errInvalid(err.Error())
		}

		if err != nil {
			return nil, err
		}

		title = "Batch " + cmp.Or(batch.Label, batch.ID)
	}

	runs, err := s.Store.Observations(ctx, filter)
	if err != nil {
		return nil, err
	}

	answers, err := s.Store.Answers(ctx, filter)
	if err != nil {
		return nil, err
	}

	format, err := results.FormatNamed(in.Format)
	if err != nil {
		return nil, errInvalid(err.Error())
	}

	var text bytes.Buffer
	if err := (results.Results{Title: title, Runs: runs, Answers: answers}).Write(&text, format); err != nil {
		return nil, err
	}

	return &exported{format.MediaType, `attachment; filename="results.` + format.Extension + `"`, text.Bytes()}, nil
}

// importable refuses a set that is not valid, or that refers to secrets of this
// machine.
func importable(set exchange.Set) error {
	servers, _, err := set.Selection()
	if err != nil {
		return err
	}
	for _, server := range servers {
		if err := onlyOfRequests(server.Login); err != nil {
			return fmt.Errorf("server %q: %w", server.Name, err)
		}
		if strings.Contains(server.URL, "${") {
			return fmt.Errorf("server %q: its URL has a reference: import the file with touchstone eval import",
				server.Name)
		}
	}
	return nil
}

func (s *Service) quality(ctx context.Context, in *struct {
	Servers []string `query:"server,explode" required:"true" minItems:"1" maxItems:"100" doc:"The name of a server (repeatable)"`
}) (*body[listPage[advice.ToolFindings]], error) {
	var tools []selection.Tool
	for _, name := range in.Servers {
		server, err := s.serverNamed(ctx, name)
		if err != nil {
			return nil, err
		}

		listed, err := s.listTools(ctx, server)
		if err != nil {
			return nil, err
		}

		tools = append(tools, listed...)
	}

	observations, err := s.Store.Observations(ctx, store.RunFilter{})
	if err != nil {
		return nil, err
	}

	checked := advice.Check(tools, tools)
	advice.SetWrong(checked, observations)
	return &body[listPage[advice.ToolFindings]]{newListPage(checked, len(checked))}, nil
}

// readSet reads a set in a format, or the database of mcp-tef.
func readSet(ctx context.Context, content []byte, format string) (exchange.Set, error) {
	if !bytes.HasPrefix(content, []byte(sqliteMagic)) {
		return exchange.Read(content, format)
	}

	dir, err := os.MkdirTemp("", "touchstone-import-")
	if err != nil {
		return exchange.Set{}, err
	}

	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tef.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return exchange.Set{}, err
	}

	set, err := exchange.ReadTEF(ctx, path)
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), path, "in the request"))
	}

	return set, err
}

// set gives the cases with a tag, or all, and the servers that they need.
func (s *Service) set(ctx context.Context, tag string) (exchange.Set, error) {
	cases, err := s.allCases(ctx, tag)
	if err != nil {
		return exchange.Set{}, err
	}

	var servers []selection.Server
	seen := map[string]bool{}
	for _, c := range cases {
		for _, name := range c.Servers {
			if seen[name] {
				continue
			}

			seen[name] = true
			server, err := s.Store.ServerNamed(ctx, name)
			if err != nil {
				return exchange.Set{}, fmt.Errorf("case %q: %w", c.Name, err)
			}

			servers = append(servers, server)
		}
	}

	return exchange.Of(servers, cases), nil
}

// allCases lists the cases with a tag, or all.
func (s *Service) allCases(ctx context.Context, tag string) ([]selection.Case, error) {
	var cases []selection.Case
	for {
		page, total, err := s.Store.Cases(ctx,
			store.CaseFilter{Tag: tag, Page: store.Page{Limit: store.MaxPage, Offset: len(cases)}})
		if err != nil {
			return nil, err
		}

		cases = append(cases, page...)
		if len(page) == 0 || len(cases) >= total {
			return cases, nil
		}
	}
}
