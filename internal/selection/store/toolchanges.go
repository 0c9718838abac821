package store

import (
	"context"
	"slices"
)

// ToolChange is a tool whose definition differs between two sets of runs. A side is
// nil if its runs were not offered the tool.
type ToolChange struct {
	Server string      `json:"server"`
	Tool   string      `json:"tool"`
	First  *Definition `json:"first"`
	Second *Definition `json:"second"`
}

// Definition is what a model reads of a tool.
type Definition struct {
	Description string `json:"description"`
	InputSchema string `json:"input_schema"`
	// undescribed is set for a run whose description was not recorded.
	undescribed bool
}

// same reports whether two definitions say the same, as far as both are known.
func (d Definition) same(other Definition) bool {
	return d.InputSchema == other.InputSchema &&
		(d.undescribed || other.undescribed || d.Description == other.Description)
}

// ToolChanges compares the snapshots of two sets of runs. Where the runs of one set
// were offered several definitions of a tool, the newest counts. The description of
// a tool of imported runs may not be known, and is then not compared.
func (s *Store) ToolChanges(ctx context.Context, first, second RunFilter) ([]ToolChange, error) {
	var sides [2]map[[2]string]Definition
	for i, f := range []RunFilter{first, second} {
		var err error
		if sides[i], err = s.definitions(ctx, f); err != nil {
			return nil, err
		}
	}

	changes := []ToolChange{}
	for key, a := range sides[0] {
		b, ok := sides[1][key]
		switch {
		case !ok:
			changes = append(changes, ToolChange{key[0], key[1], &a, nil})
		case !a.same(b):
			changes = append(changes, ToolChange{key[0], key[1], &a, &b})
		}
	}

	for key, b := range sides[1] {
		if _, ok := sides[0][key]; !ok {
			changes = append(changes, ToolChange{key[0], key[1], nil, &b})
		}
	}

	slices.SortFunc(changes, func(a, b ToolChange) int {
		return slices.Compare([]string{a.Server, a.Tool}, []string{b.Server, b.Tool})
	})
	return changes, nil
}

func (s *Store) definitions(ctx context.Context, f RunFilter) (map[[2]string]Definition, error) {
	q := f.forFigures().query()
	rows, err := s.read.QueryContext(ctx, `SELECT s.name, t.name, t.description, t.input_schema,
		t.description = '' AND t.test_run_id IN (SELECT test_run_id FROM imported_runs), max(t.rowid) FROM tool_definitions t
		JOIN mcp_servers s ON s.id = t.mcp_server_id WHERE t.test_run_id IN (SELECT id FROM test_runs`+q.where()+`)
		GROUP BY s.name, t.name`, q.args...)
	if err != nil {
		return nil, remedied(err)
	}

	type row struct {
		key [2]string
		def Definition
	}
	list, err := collect(rows, func(r scanner) (x row, err error) {
		var newest int // SQLite takes the other columns from the row with the maximum
		err = r.Scan(&x.key[0], &x.key[1], &x.def.Description, &x.def.InputSchema, &x.def.undescribed, &newest)
		return x, err
	})
	found := map[[2]string]Definition{}
	for _, x := range list {
		found[x.key] = x.def
	}

	return found, err
}
