package exchange

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// Imported is the result of an import. CaseIDs are the cases of the set in its
// order, whether they were added or existed already.
type Imported struct {
	CaseIDs      []string `json:"test_case_ids"`
	ServersAdded int      `json:"servers_added"`
	CasesAdded   int      `json:"cases_added"`
	// RunsAdded are those of another program that are stored now, as the batch
	// BatchID, and RunsExisting those that were stored before. RunsJudgedOtherwise
	// counts those added whose class there is another one.
	RunsAdded           int    `json:"runs_added"`
	RunsExisting        int    `json:"runs_existing"`
	RunsJudgedOtherwise int    `json:"runs_judged_otherwise"`
	BatchID             string `json:"batch_id,omitempty"`
	// Skipped are the entries that could not be read, or whose case is not known.
	Skipped []Skipped `json:"skipped,omitempty"`
	// Notes say what is read in another form than it was written.
	Notes []string `json:"notes,omitempty"`
}

// Import stores a set. It uses an existing server with the same name or URL
// unchanged, and does not add a case again if one with equal content exists.
// Either all cases are stored or none. Then come the runs of another program.
func Import(ctx context.Context, s *store.Store, set Set) (Imported, error) {
	servers, cases, err := set.Selection()
	if err != nil {
		return Imported{}, err
	}

	result := Imported{CaseIDs: []string{}, Skipped: set.Skipped, Notes: set.Notes}
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

	if len(added) > 0 {
		created, err := s.CreateCases(ctx, added)
		if err != nil {
			return result, err
		}

		for i, c := range created {
			result.CaseIDs[places[i]] = c.ID
		}

		result.CasesAdded = len(created)
	}

	others := map[string]string{}
	for i, c := range set.Cases {
		if c.OtherID != "" {
			others[c.OtherID] = result.CaseIDs[i]
		}
	}

	if len(others) > 0 {
		if err := s.NameCases(ctx, mcpTEF, others); err != nil {
			return result, err
		}
	}

	err = importRuns(ctx, s, set.Runs, names, &result)
	return result, err
}

// importRuns stores the runs of another program whose cases are known. They are
// judged by the rules of this one from the calls that the other one recorded.
func importRuns(ctx context.Context, s *store.Store, runs []Run, names map[string]string, result *Imported) error {
	var added []store.ImportedRun
	repeats := map[string]int{}
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b Run) int { return a.Created.Compare(b.Created) })
	for _, r := range runs {
		known, err := s.HasImported(ctx, r.Imported.From, r.Imported.ID)
		if err != nil {
			return err
		}

		if known {
			result.RunsExisting++
			continue
		}

		caseID, err := s.CaseNamed(ctx, r.Imported.From, r.OtherCase)
		if errors.Is(err, store.ErrNotFound) {
			result.Skipped = append(result.Skipped, Skipped{r.Entry, fmt.Sprintf("there is no case with the id or "+
				"name %q: import the test cases of %s, too", r.OtherCase, r.Imported.From)})
			continue
		}

		if err != nil {
			return err
		}

		c, err := s.Case(ctx, caseID)
		if err != nil {
			return err
		}

		run, err := r.judged(c, names)
		if err == nil {
			err = hasServers(ctx, s, run.Tools)
		}

		if err != nil {
			result.Skipped = append(result.Skipped, Skipped{r.Entry, err.Error()})
			continue
		}

		of := caseID + " " + r.Settings.Provider + "/" + r.Settings.Model
		repeats[of]++
		run.Repeat = repeats[of]
		other := r.Imported.Classification
		if other != "" && run.Error == "" && other != run.Evaluation.Classification {
			result.RunsJudgedOtherwise++
		}

		added = append(added, run)
	}

	if len(added) == 0 {
		return nil
	}

	batch, err := s.ImportRuns(ctx, "imported from "+added[0].Imported.From, added)
	if err == nil {
		result.RunsAdded, result.BatchID = len(added), batch
	}

	return err
}

// hasServers returns an error if the server of a tool is not stored.
func hasServers(ctx context.Context, s *store.Store, tools []selection.Tool) error {
	known := map[string]bool{}
	for _, t := range tools {
		if known[t.Server] {
			continue
		}
		if _, err := s.ServerNamed(ctx, t.Server); err != nil {
			return fmt.Errorf("the tool %q: %w", t.Name, err)
		}
		known[t.Server] = true
	}
	return nil
}

// judged is a run of a case as it is stored. names maps servers of the set to those
// of the database.
func (r Run) judged(c selection.Case, names map[string]string) (store.ImportedRun, error) {
	stored := func(server string) string { return cmp.Or(names[server], server) }
	run := store.ImportedRun{CaseID: c.ID, Settings: r.Settings, Tools: slices.Clone(r.Tools), Error: r.Error,
		CreatedAt: r.Created, CompletedAt: r.Ended, Imported: r.Imported}
	run.ExecutionTimeMS = r.TookMS
	run.Answer = selection.Answer{Calls: slices.Clone(r.Calls), Said: r.Said, Raw: r.Raw}
	for i := range run.Tools {
		run.Tools[i].Server = stored(run.Tools[i].Server)
	}

	for i := range run.Answer.Calls {
		run.Answer.Calls[i].Server = stored(run.Answer.Calls[i].Server)
	}

	if run.Error != "" {
		return run, nil
	}

	var err error
	run.Evaluation, _, err = score.Evaluate(c, run.Tools, run.Answer, nil)
	return run, err
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
