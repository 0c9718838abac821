package trec

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/touchstone-eval/touchstone/metrics"
)

// RunWriter writes a run file.
type RunWriter struct {
	out *bufio.Writer
	tag string
}

// NewRunWriter writes to w; tag names the system.
func NewRunWriter(w io.Writer, tag string) (*RunWriter, error) {
	if err := checkNames(tag); err != nil {
		return nil, err
	}
	return &RunWriter{bufio.NewWriter(w), tag}, nil
}

// Topic writes a ranked list, best first, so that trec_eval sees exactly the
// order of ranked. trec_eval looks at scores only. If the scores give that
// order, each lower than the one before at trec_eval's precision, they are
// written. Otherwise len(ranked), ..., 2, 1 are written instead.
func (w *RunWriter) Topic(topic string, ranked []metrics.Scored) error {
	said := sayOrder(ranked)
	for i, result := range ranked {
		if err := checkNames(topic, result.ID); err != nil {
			return err
		}

		score := float64(len(ranked) - i)
		if said {
			score = result.Score
		}

		if _, err := fmt.Fprintf(w.out, "%s Q0 %s %d %s %s\n", topic, result.ID, i+1,
			strconv.FormatFloat(score, 'g', -1, 64), w.tag); err != nil {
			return err
		}
	}

	return nil
}

// Flush writes what is still buffered. Call it at the end.
func (w *RunWriter) Flush() error { return w.out.Flush() }

func sayOrder(ranked []metrics.Scored) bool {
	for i, result := range ranked {
		if math.IsNaN(result.Score) || i > 0 && float32(result.Score) >= float32(ranked[i-1].Score) {
			return false
		}
	}
	return true
}
