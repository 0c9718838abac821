package rest

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

const casesPath = prefix + "/cases"

// caseBody is a new case.
type caseBody struct {
	Name      string               `json:"name" minLength:"1" maxLength:"200"`
	Query     string               `json:"query" minLength:"1" maxLength:"100000"`
	Servers   []string             `json:"servers" doc:"Names of the servers whose tools are offered"`
	Expected  []selection.Call     `json:"expected,omitempty" doc:"Empty where no tool should be called"`
	Ordered   bool                 `json:"ordered,omitempty" doc:"The expected calls have to come in this order"`
	Forbidden []selection.ToolName `json:"forbidden,omitempty" doc:"Tools whose call makes the run wrong"`
	Tags      []string             `json:"tags,omitempty"`
}

// casePatch changes what is given. An empty list empties a list.
type casePatch struct {
	Name      *string              `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Query     *string              `json:"query,omitempty" minLength:"1" maxLength:"100000"`
	Servers   []string             `json:"servers,omitempty"`
	Expected  []selection.Call     `json:"expected,omitempty"`
	Ordered   *bool                `json:"ordered,omitempty"`
	Forbidden []selection.ToolName `json:"forbidden,omitempty"`
	Tags      []string             `json:"tags,omitempty"`
}

type caseList struct {
	Conditional
	Paging
	Name   string `query:"name" maxLength:"200" doc:"All of the name"`
	Server string `query:"server" maxLength:"100" doc:"The server of an expected call"`
	Tool   string `query:"tool" maxLength:"200" doc:"The tool of an expected call; with a server, of the same call"`
	Tag    string `query:"tag" maxLength:"100"`
	Search string `query:"search" maxLength:"200" doc:"In the name or the query"`
	Sort   string `query:"sort" enum:"created_at,-created_at,name,-name" default:"created_at"`
}

// storedCase is the answer to a new or changed case.
type storedCase struct {
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Body     selection.Case
}

func (s *Service) addCases() {
	tags := []string{"cases"}
	register(s, huma.Operation{
		OperationID: "list-cases", Method: http.MethodGet, Path: casesPath, Tags: tags, Summary: "List cases",
	}, func(ctx context.Context, in *caseList) (*tagged[listPage[selection.Case]], error) {
		items, total, err := s.Store.Cases(ctx, store.CaseFilter{
			Name: in.Name, Server: in.Server, Tool: in.Tool, Tag: in.Tag, Search: in.Search, Sort: in.Sort,
			Page: in.page(),
		})
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, newListPage(items, total))
	})
	register(s, huma.Operation{
		OperationID: "create-case", Method: http.MethodPost, Path: casesPath, Tags: tags,
		DefaultStatus: http.StatusCreated, Summary: "Add a case",
	}, func(ctx context.Context, in *struct{ Body caseBody }) (*storedCase, error) {
		stored, err := s.Store.CreateCase(ctx, selection.Case{
			Name: in.Body.Name, Query: in.Body.Query, Servers: in.Body.Servers, Expected: in.Body.Expected,
			Ordered: in.Body.Ordered, Forbidden: in.Body.Forbidden, Tags: in.Body.Tags,
		})
		if err != nil {
			return nil, err
		}

		tag, err := entityTag(stored)
		return &storedCase{Location: casesPath + "/" + stored.ID, ETag: tag, Body: stored}, err
	})
	register(s, huma.Operation{
		OperationID: "get-case", Method: http.MethodGet, Path: casesPath + "/{id}", Tags: tags, Summary: "Read a case",
	}, func(ctx context.Context, in *byID) (*tagged[selection.Case], error) {
		stored, err := s.Store.Case(ctx, in.ID)
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, stored)
	})
	register(s, huma.Operation{
		OperationID: "update-case", Method: http.MethodPatch, Path: casesPath + "/{id}", Tags: tags,
		Summary: "Change a case; its runs stay as they are",
	}, s.updateCase)
	register(s, huma.Operation{
		OperationID: "delete-case", Method: http.MethodDelete, Path: casesPath + "/{id}", Tags: tags,
		DefaultStatus: http.StatusNoContent,
		Summary:       "Delete a case with its runs",
	}, func(ctx context.Context, in *byID) (*struct{}, error) {
		return nil, s.Store.DeleteCase(ctx, in.ID)
	})
}

func (s *Service) updateCase(ctx context.Context, in *struct {
	ID      string `path:"id" maxLength:"200"`
	IfMatch string `header:"If-Match" doc:"Change nothing unless the ETag is among these"`
	Body    casePatch
}) (*storedCase, error) {
	c, err := s.Store.Case(ctx, in.ID)
	if err != nil {
		return nil, err
	}

	lock := s.lockFor(c.ID) // the path may have its name
	lock.Lock()
	defer lock.Unlock()
	c, err = s.Store.Case(ctx, c.ID)
	if err != nil {
		return nil, err
	}

	if err := unchanged(in.IfMatch, c); err != nil {
		return nil, err
	}

	set(&c.Name, in.Body.Name)
	set(&c.Query, in.Body.Query)
	set(&c.Ordered, in.Body.Ordered)
	if in.Body.Servers != nil {
		c.Servers = in.Body.Servers
	}

	if in.Body.Expected != nil {
		c.Expected = in.Body.Expected
	}

	if in.Body.Forbidden != nil {
		c.Forbidden = in.Body.Forbidden
	}

	if in.Body.Tags != nil {
		c.Tags = in.Body.Tags
	}

	stored, err := s.Store.UpdateCase(ctx, c)
	if err != nil {
		return nil, err
	}

	tag, err := entityTag(stored)
	return &storedCase{ETag: tag, Body: stored}, err
}

// set changes a field where a value is given.
func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
