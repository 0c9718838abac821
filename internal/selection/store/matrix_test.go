package store

import (
	"errors"
	"reflect"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// completeWrongly ends a run as FN: with a tool that nobody offered, or with none.
func completeWrongly(t *testing.T, s *Store, id string, calls ...selection.MadeCall) {
	t.Helper()
	if err := s.StartRun(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	zero := 0.0
	err := s.CompleteRun(t.Context(), id, Outcome{Answer: selection.Answer{Calls: calls}, Evaluation: selection.Evaluation{
		Classification: selection.FN, ParameterCompleteness: &zero, ParameterCorrectness: &zero, ParameterConformance: &zero,
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// A mixedBatch has two runs of case b that ended as FN, one of b with the other model
// that failed twice and is to run again, and one of case a that did not start.
type mixedBatch struct {
	id    string
	a, b  selection.Case
	other selection.Settings // with the other model
	runs  []string           // the IDs of the runs, before they were retried
	retry string             // the ID of the last retry
	// The names of the models.
	name, otherName string
}

func addMixedBatch(t *testing.T, s *Store) mixedBatch {
	t.Helper()
	ctx := t.Context()
	addServer(t, s, "a")
	b := addCase(t, s, "b", []string{"a"}, selection.Call{Server: "a", Tool: "x"})
	a := addCase(t, s, "a", []string{"a"}, selection.Call{Server: "a", Tool: "x"})
	other := settings
	other.Model = "other"
	first, ids, err := s.CreateBatch(ctx, "first", []NewRun{
		{CaseID: b.ID, Settings: settings}, {CaseID: b.ID, Settings: settings, Repeat: 2}, {CaseID: b.ID, Settings: other}, {CaseID: a.ID, Settings: settings},
	})
	if err != nil {
		t.Fatal(err)
	}
	completeWrongly(t, s, ids[0], selection.MadeCall{Unknown: "y"})
	completeWrongly(t, s, ids[1])
	if err := s.FailRun(ctx, ids[2], "broken", nil, 0); err != nil {
		t.Fatal(err)
	}
	retry, err := s.RetryRun(ctx, ids[2])
	if err != nil {
		t.Fatal(err)
	}
	if err := s.FailRun(ctx, retry, "broken again", nil, 0); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Retryable(ctx, first); err != nil || !reflect.DeepEqual(got, []string{retry}) {
		t.Errorf("%v, %v", got, err)
	}
	if retry, err = s.RetryRun(ctx, retry); err != nil {
		t.Fatal(err)
	}
	return mixedBatch{id: first, a: a, b: b, other: other, runs: ids, retry: retry,
		name: settings.Provider + "/" + settings.Model, otherName: settings.Provider + "/other"}
}

func TestMatrix(t *testing.T) {
	s, ctx := open(t), t.Context()
	m := addMixedBatch(t, s)
	got, err := s.RunMatrix(ctx, RunFilter{BatchID: "first"}, ByModel)
	want := Matrix{Models: []string{m.name, m.otherName}, Total: 2, Rows: []MatrixRow{
		{m.a.ID, "a", []MatrixCell{{Model: m.name, Runs: 1, Pending: 1, LastRunID: m.runs[3]}}},
		{m.b.ID, "b", []MatrixCell{
			{Model: m.name, Runs: 2, FN: 2, WrongTool: 1, LastRunID: m.runs[1]},
			{Model: m.otherName, Runs: 1, Pending: 1, LastRunID: m.retry},
		}},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	page, err := s.RunMatrix(ctx, RunFilter{Page: Page{Limit: 1, Offset: 1}}, ByModel)
	if err != nil || page.Total != 2 || len(page.Rows) != 1 || !reflect.DeepEqual(page.Rows[0], want.Rows[1]) {
		t.Errorf("the second page is %+v, %v", page, err)
	}
	if none, err := s.RunMatrix(ctx, RunFilter{BatchID: "none"}, ByModel); err != nil || none.Total != 0 || len(none.Rows) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
}

func TestMatrixByBatch(t *testing.T) {
	s, ctx := open(t), t.Context()
	m := addMixedBatch(t, s)
	second, ids, err := s.CreateBatch(ctx, "second", []NewRun{{CaseID: m.a.ID, Settings: m.other}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.RunMatrix(ctx, RunFilter{Case: "a"}, ByBatch)
	want := Matrix{Models: []string{m.name, m.otherName}, Batches: []BatchName{{second, "second"}, {m.id, "first"}}, Total: 1, Rows: []MatrixRow{
		{m.a.ID, "a", []MatrixCell{
			{BatchID: m.id, Runs: 1, Pending: 1, LastRunID: m.runs[3]}, {BatchID: second, Runs: 1, Pending: 1, LastRunID: ids[0]},
		}},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestBatches(t *testing.T) {
	s, ctx := open(t), t.Context()
	m := addMixedBatch(t, s)
	second, _, err := s.CreateBatch(ctx, "second", []NewRun{{CaseID: m.a.ID, Settings: m.other}})
	if err != nil {
		t.Fatal(err)
	}
	batches, total, err := s.Batches(ctx, Page{})
	if err != nil || total != 2 || len(batches) != 2 || batches[0].ID != second || batches[1].ID != m.id {
		t.Fatalf("%+v, %d, %v", batches, total, err)
	}
	one := batches[1]
	one.CreatedAt = batches[0].CreatedAt
	if one.Accuracy == nil || *one.Accuracy < 0 || *one.Accuracy > 1 {
		t.Errorf("accuracy %v", one.Accuracy)
	}
	one.Accuracy = nil
	if want := (Batch{
		ID: m.id, Label: "first", CreatedAt: one.CreatedAt, Total: 4, Pending: 2, Completed: 2,
		Models: []string{m.name, m.otherName},
	}); !reflect.DeepEqual(one, want) {
		t.Errorf("got %+v, want %+v", one, want)
	}
	if got, err := s.Batch(ctx, "first"); err != nil || got.ID != m.id {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.Batch(ctx, m.id); err != nil || !reflect.DeepEqual(got, batches[1]) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.Batch(ctx, "none"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if got, err := s.Unfinished(ctx, m.id); err != nil || !reflect.DeepEqual(got, []string{m.retry, m.runs[3]}) {
		t.Errorf("%v, %v", got, err)
	}
}
