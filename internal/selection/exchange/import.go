package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// Imported is the result of an import. CaseIDs are the cases of the set in its
// order, whether they were added or existed already.
type Imported struct {
	CaseIDs      []string `json:"test_case_ids"`
	ServersAdded int      `json:"servers_added"`
	CasesAdded   int      `json:"cases_added"`
	// Skipped are the entries that could not be read.
	Skipped []Skipped `json:"skipped,omitempty"`
}

// Import stores a set. It uses an existing server with the same name or URL
// unchanged, and does not add a case again if one with equal content exists.
// Either all cases are stored or none.
func Import(ctx context.Context, s *store.Store, set Set) (Imported, error) {
	servers, cases, err := set.Selection()
	if err != nil {
		return Imported{}, err
	}

	result := Imported{CaseIDs: []string{}, Skipped: set.Skipped}
	names := map[string]string{} // from names in the set to names in the database
	var missing []selection.Server
	for _, server := range servers {
		known, err := find(ctx, s, server)
		switch {
		case err != nil:
			return result, err
		case known == "":
			missing = append(missing, server)
		}

		names[server.Name] = known
	}

	for _, server := range missing {
		if _, err := s.CreateServer(ctx, server); err != nil {
			return result, err
		}

		names[server.Name] = server.Name
		result.ServersAdded++
	}

	var added []selection.Case
	places := []int{}
	for _, c := range cases {
		rename(&c, names)
		id, err := same(ctx, s, c)
		if err != nil {
			return result, err
		}

		if id == "" {
			added, places = append(added, c), append(places, len(result.CaseIDs))
		}

		result.CaseIDs = append(result.CaseIDs, id)
	}

	if len(added) == 0 {
		return result, nil
	}

	created, err := s.CreateCases(ctx, added)
	if err != nil {
		return result, err
	}

	for i, c := range created {
		result.CaseIDs[places[i]] = c.ID
	}

	result.CasesAdded = len(created)
	return result, nil
}

// find returns the name under which a server is stored, or "".
func find(ctx context.Context, s *store.Store, server selection.Server) (string, error) {
	known, err := s.ServerNamed(ctx, server.Name)
	if err == nil {
		if !selection.SameAddress(known.URL, server.URL) {
			return "", fmt.Errorf("%w: server %q is stored with another URL: rename one of the two", store.ErrConflict,
				server.Name)
		}

		return known.Name, nil
	}

	if !errors.Is(err, store.ErrNotFound) {
		return "", err
	}

	for offset := 0; ; {
		found, total, err := s.Servers(ctx, store.ServerFilter{Page: store.Page{Limit: store.MaxPage, Offset: offset}})
		if err != nil {
			return "", err
		}

		if i := slices.IndexFunc(found, func(x selection.Server) bool {
			return selection.SameAddress(x.URL, server.URL)
		}); i >= 0 {
			return found[i].Name, nil
		}

		if offset += len(found); len(found) == 0 || offset >= total {
			return "", nil
		}
	}
}

func rename(c *selection.Case, names map[string]string) {
	for i, name := range c.Servers {
		if to := names[name]; to != "" {
			c.Servers[i] = to
		}
	}

	slices.Sort(c.Servers)
	c.Servers = slices.Compact(c.Servers)
	set := func(server *string) {
		if to := names[*server]; to != "" {
			*server = to
		}
	}
	c.Expected = slices.Clone(c.Expected)
	for i := range c.Expected {
		set(&c.Expected[i].Server)
		for j := range c.Expected[i].Alternatives {
			set(&c.Expected[i].Alternatives[j].Server)
		}
	}

	for i := range c.Forbidden {
		set(&c.Forbidden[i].Server)
	}
}

// same returns the id of a stored case with equal content, or "".
func same(ctx context.Context, s *store.Store, c selection.Case) (string, error) {
	found, _, err := s.Cases(ctx, store.CaseFilter{Name: c.Name, Page: store.Page{Limit: store.MaxPage}})
	if err != nil {
		return "", err
	}

	// The encoding of both is the same, however a value was escaped in its file.
	content := func(c selection.Case) (string, error) {
		b, err := json.Marshal(Of(nil, []selection.Case{c}))
		return string(b), err
	}
	want, err := content(c)
	if err != nil {
		return "", err
	}

	for _, known := range found {
		if text, err := content(known); err != nil || text == want {
			return known.ID, err
		}
	}

	return "", nil
}
