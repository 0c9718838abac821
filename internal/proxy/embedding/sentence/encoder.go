package sentence

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Encoder computes sentence vectors. Several goroutines may use it at once.
type Encoder struct {
	tokenizer *tokenizer
	weights   *weights
	identity  string
}

// New reads the model from the contents of its files: model.json, which names
// the weights, the weights themselves in their order, and vocab.json. The
// identity names the model, its version and its digest, and is not interpreted.
func New(model, data, vocabulary []byte, identity string) (*Encoder, error) {
	e := &Encoder{identity: identity}
	var loading sync.WaitGroup
	var vocabularyErr error
	loading.Go(func() { e.tokenizer, vocabularyErr = newTokenizer(vocabulary) })
	var err error
	e.weights, err = newWeights(model, data)
	loading.Wait()
	if err := cmp.Or(err, vocabularyErr); err != nil {
		return nil, fmt.Errorf("sentence encoder: %w", err)
	}

	if n := e.tokenizer.size; n > embeddings {
		return nil, fmt.Errorf("sentence encoder: the vocabulary has %d pieces, and there are vectors for %d", n,
			embeddings)
	}

	return e, nil
}

// Identity names the model, its version and its digest.
func (e *Encoder) Identity() string { return e.identity }

// groupRows is the number of pieces that pass through the network together,
// unless one text has more, and the number of texts. It is large enough for
// reading the weights from memory to cost little, and small enough to give each
// processor a share of a few dozen texts.
const groupRows = 32

// Embed returns the vectors of texts, in their order: 512 dimensions, length 1.
// A text is cut off after MaxPieces pieces. The empty text has a vector, the
// same one for each. It fails only when ctx ends.
func (e *Encoder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	pieces := make([][]int32, len(texts))
	e.parallel(ctx, len(texts), func(i int) {
		ids := e.tokenizer.encode(texts[i])
		pieces[i] = ids[:min(len(ids), MaxPieces)]
	})
	var groups [][2]int
	for from := 0; from < len(pieces); {
		to, rows := from, 0
		for to < len(pieces) && to-from < groupRows && (to == from || rows+len(pieces[to]) <= groupRows) {
			rows += len(pieces[to])
			to++
		}

		groups = append(groups, [2]int{from, to})
		from = to
	}

	vectors := make([][]float32, len(texts))
	e.parallel(ctx, len(groups), func(i int) {
		from, to := groups[i][0], groups[i][1]
		copy(vectors[from:to], e.weights.forward(pieces[from:to]))
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	return vectors, nil
}

// parallel calls do for 0 to n-1 on all processors, until ctx ends.
func (e *Encoder) parallel(ctx context.Context, n int, do func(int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	work := func() {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}

			do(i)
		}
	}
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		workers.Go(work)
	}

	work()
	workers.Wait()
}
