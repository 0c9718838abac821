package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// Cost is the measured cost of answering on both sides. It is measured for one
// comparison, on a machine that may also do other work, and is not stored: stages
// write the same bytes for the same inputs, so no stage writes a time.
//
// Both proxies run at once and are asked in turn, each query of one next to the
// same query of the other, so that other load slows both. The first round is a
// warm-up and does not count.
type Cost struct {
	Rounds int      `json:"rounds"` // without the warm-up
	A      CostSide `json:"a"`
	B      CostSide `json:"b"`
}

// CostSide is the cost of one proxy. A latency is the time from sending the
// query to the decoded answer, over all rounds, for queries that were answered.
// PeakMemory is the sum of the largest resident sets over the proxy's process
// group, or 0 if the system does not report it. Ready is the time from the start
// until everything was indexed.
type CostSide struct {
	Queries    int     `json:"queries"` // per round
	Answered   int     `json:"answered"`
	Failed     int     `json:"failed"`
	P50MS      float64 `json:"p50_ms"`
	P95MS      float64 `json:"p95_ms"`
	P99MS      float64 `json:"p99_ms"`
	MaxMS      float64 `json:"max_ms"`
	ReadyMS    float64 `json:"ready_ms"`
	PeakMemory int64   `json:"peak_memory_bytes"`
}

// MeasureSide is a proxy to measure and its data: the directory that build-proxy
// wrote, a corpus and a golden set.
type MeasureSide struct {
	Proxy, Corpus, Golden string
	Search, Degrade       string
	// Secret is passed to the proxy; empty for none.
	Secret string
}

// MeasureOptions are the options of Measure.
type MeasureOptions struct {
	A, B   MeasureSide
	Rounds int // at least 1
	// Executable is the program that replays the corpus; empty means this
	// program.
	Executable string
}

// Measure starts both proxies, sends the queries and stops the proxies.
func Measure(ctx context.Context, o MeasureOptions) (*Cost, error) {
	if o.Rounds < 1 {
		return nil, fmt.Errorf("cannot measure %d rounds: give 1 or more", o.Rounds)
	}

	if o.Executable == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program, which replays the corpus: %w", err)
		}

		o.Executable = self
	}

	var sides [2]*measured
	for i, side := range []MeasureSide{o.A, o.B} {
		m, err := startMeasured(ctx, side, o.Executable)
		if err != nil {
			return nil, fmt.Errorf("measuring %s: %w", []string{"A", "B"}[i], err)
		}

		defer m.stop()
		sides[i] = m
	}

	most := max(len(sides[0].queries), len(sides[1].queries))
	for round := range o.Rounds + 1 {
		for n, i := range replay.Order(uint64(round+1), "measured queries", most) {
			for turn := range sides {
				// Alternate which side is asked first.
				m := sides[(turn+n+round)%len(sides)]
				if err := m.ask(ctx, i, round > 0); err != nil {
					return nil, err
				}
			}
		}
	}

	return &Cost{Rounds: o.Rounds, A: sides[0].cost(), B: sides[1].cost()}, nil
}

// measured is a running proxy with its times so far.
type measured struct {
	proxy   *undertest.Proxy
	queries []contracts.Query
	times   []float64 // milliseconds
	failed  int
}

func startMeasured(ctx context.Context, side MeasureSide, self string) (*measured, error) {
	corpus, err := contracts.Read[contracts.Corpus](side.Corpus)
	if err != nil {
		return nil, err
	}

	golden, err := contracts.Read[contracts.GoldenSet](side.Golden)
	if err != nil {
		return nil, err
	}

	degrade, err := undertest.ParseDegrade(side.Degrade)
	if err != nil {
		return nil, err
	}

	m := &measured{queries: golden.Queries}
	m.proxy, err = undertest.Start(ctx, undertest.Options{
		Dir: side.Proxy, Corpus: corpus, Index: degrade, SearchPath: side.Search, Executable: self, Secret: side.Secret,
	})
	if err != nil {
		return nil, err
	}

	return m, nil
}

func (m *measured) stop() { m.proxy.Stop() }

// ask sends query i, if it exists.
func (m *measured) ask(ctx context.Context, i int, counts bool) error {
	if i >= len(m.queries) {
		return nil
	}

	began := time.Now()
	_, err := m.proxy.Search(ctx, m.queries[i].Query, 10)
	took := time.Since(began)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, undertest.ErrBroken):
		if how, ended := m.proxy.Ended(time.Second); ended {
			return m.proxy.WithLog(fmt.Errorf("proxy %q ended while it was measured: %s", m.proxy.Manifest.Name, how))
		}
	}

	switch {
	case !counts:
	case err != nil:
		m.failed++
	default:
		m.times = append(m.times, float64(took)/float64(time.Millisecond))
	}

	return nil
}

func (m *measured) cost() CostSide {
	slices.Sort(m.times)
	c := CostSide{
		Queries: len(m.queries), Answered: len(m.times), Failed: m.failed,
		P50MS: NearestRank(m.times, .50), P95MS: NearestRank(m.times, .95),
		P99MS: NearestRank(m.times, .99), MaxMS: NearestRank(m.times, 1),
		ReadyMS: float64(m.proxy.TimeToReady()) / float64(time.Millisecond), PeakMemory: m.proxy.PeakMemory(),
	}
	return c
}

// NearestRank returns the percentile by the nearest-rank method: the smallest of
// the sorted times that at least the share p does not exceed, or 0 for no times.
func NearestRank(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}
