package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

const batchesPath = prefix + "/batches"

func (s *Service) addBatches() {
	tags := []string{"runs"}
	register(s, huma.Operation{
		OperationID: "list-batches", Method: http.MethodGet, Path: batchesPath, Tags: tags,
		Summary: "List batches, newest first",
	}, func(ctx context.Context, in *struct {
		Conditional
		Paging
	}) (*tagged[listPage[store.Batch]], error) {
		items, total, err := s.Store.Batches(ctx, in.page())
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, newListPage(items, total))
	})
	register(s, huma.Operation{
		OperationID: "get-batch", Method: http.MethodGet, Path: batchesPath + "/{id}", Tags: tags,
		Summary: "Read a batch, by its id or its label",
	}, func(ctx context.Context, in *byID) (*tagged[store.Batch], error) {
		batch, err := s.Store.Batch(ctx, in.ID)
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, batch)
	})
	register(s, huma.Operation{
		OperationID: "cancel-batch", Method: http.MethodPost, Path: batchesPath + "/{id}/cancel", Tags: tags,
		Summary: "Cancel the pending and running runs of a batch", DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, in *byID) (*tagged[store.Batch], error) {
		batch, err := s.Store.Batch(ctx, in.ID)
		if err != nil {
			return nil, err
		}

		// The newest run is cancelled first, since runs start in the order of their
		// creation.
		ids, err := s.Store.Unfinished(ctx, batch.ID)
		if err != nil {
			return nil, err
		}

		for _, id := range ids {
			// A run may have ended meanwhile.
			if err := s.Runner.Cancel(ctx, id); err != nil && !errors.Is(err, store.ErrConflict) {
				return nil, err
			}
		}

		if batch, err = s.Store.Batch(ctx, batch.ID); err != nil {
			return nil, err
		}

		return answer(Conditional{}, batch)
	})
	register(s, huma.Operation{
		OperationID: "retry-batch", Method: http.MethodPost, Path: batchesPath + "/{id}/retry", Tags: tags,
		DefaultStatus: http.StatusAccepted,
		Summary:       "Execute the failed runs of a batch again, as new runs of it",
		Description: "Runs that were retried already are left out. If no failed run is left, the answer is 409 and " +
			"says what the batch holds.",
	}, s.retryBatch)
}

func (s *Service) retryBatch(ctx context.Context, in *struct {
	ID string `path:"id" maxLength:"100"`
	WithKey
}) (*started, error) {
	batch, err := s.Store.Batch(ctx, in.ID)
	if err != nil {
		return nil, err
	}

	failed, err := s.Store.Retryable(ctx, batch.ID)
	if err != nil {
		return nil, err
	}

	if len(failed) == 0 {
		return nil, huma.Error409Conflict(fmt.Sprintf("batch %s has no failed run to retry: of its %d runs %d are "+
			"completed, %d running and %d pending",
			in.ID, batch.Total, batch.Completed, batch.Running, batch.Pending))
	}

	ids := []string{}
	for _, old := range failed {
		id, err := s.Runner.Retry(ctx, old, model.NewKey(in.Key))
		if err != nil {
			return nil, err
		}

		ids = append(ids, id)
	}

	return newStarted(batch.ID, ids), nil
}
