package hostile

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// TestTools expects every check to end on every list, with and without an
// approved version.
func TestTools(t *testing.T) {
	for name, of := range Tools {
		tools := of(64 << 10)
		for _, s := range []*scanner.Scanner{all(t), againstOthers(t, tools)} {
			if r := s.Scan(tools); r.Coverage.ChecksFailed > 0 || r.Coverage.ToolsScanned != len(tools) {
				t.Errorf("%s: %+v", name, r.Coverage)
			}
		}
	}
}

// TestDocuments expects every document to be read, or refused with a remedy.
func TestDocuments(t *testing.T) {
	for name, of := range Documents {
		in, err := input.Read("f.json", "s", []byte(of(16<<10)))
		var bad *input.InputError
		switch {
		case err != nil && (!errors.As(err, &bad) || bad.Remedy == ""):
			t.Errorf("%s: %v", name, err)
		case err == nil && len(in.Tools)+len(in.Servers)+len(in.Unscanned) == 0:
			t.Errorf("%s: nothing was read", name)
		}
	}
}

func all(tb testing.TB, opts ...scanner.Option) *scanner.Scanner {
	tb.Helper()
	s, err := scanner.New(opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// againstOthers has approved versions that differ in their last character.
func againstOthers(tb testing.TB, tools []scanner.Tool) *scanner.Scanner {
	old := slices.Clone(tools)
	for i := range old {
		old[i].Description += "."
	}
	return all(tb, scanner.WithBaseline(old))
}

// BenchmarkScan runs all checks over growing lists of each kind.
func BenchmarkScan(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(Tools)) {
		b.Run(dashed(name), func(b *testing.B) {
			s := all(b)
			growth(b, Tools[name], func(tools []scanner.Tool) { s.Scan(tools) })
		})
	}
}

// BenchmarkRugPull runs all checks over growing lists whose approved versions
// differ.
func BenchmarkRugPull(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(Tools)) {
		b.Run(dashed(name), func(b *testing.B) {
			growth(b, Tools[name], func(tools []scanner.Tool) { againstOthers(b, tools).Scan(tools) })
		})
	}
}

// BenchmarkCheck runs each check alone over growing lists of each kind. It reports
// the largest exponent of each check.
func BenchmarkCheck(b *testing.B) {
	for _, c := range scanner.Checks() {
		b.Run(c.ID, func(b *testing.B) {
			s := all(b, scanner.WithChecks(c.ID))
			worst := 0.0
			for _, name := range slices.Sorted(maps.Keys(Tools)) {
				worst = max(worst, exponent(Tools[name], func(tools []scanner.Tool) { s.Scan(tools) }))
			}
			b.ReportMetric(worst, "largest-exponent")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkRead reads growing documents of each kind.
func BenchmarkRead(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(Documents)) {
		b.Run(dashed(name), func(b *testing.B) {
			growth(b, func(n int) []byte { return []byte(Documents[name](n)) }, func(text []byte) {
				_, _ = input.Read("f.json", "s", text) // some are refused
			})
		})
	}
}

// sizes are the sizes in bytes over which an exponent is fitted.
var sizes = []int{1 << 20, 2 << 20, 4 << 20, 8 << 20}

// tenMegabytes is the size of the inputs whose time is reported.
const tenMegabytes = 10_000_000

// growth reports the exponent of the time over the sizes of inputs, and the time
// for 10 MB.
func growth[T any](b *testing.B, of func(size int) T, do func(T)) {
	in := of(tenMegabytes)
	b.SetBytes(tenMegabytes)
	for b.Loop() {
		do(in)
	}
	b.StopTimer()
	b.ReportMetric(exponent(of, do), "exponent")
}

// exponent returns the growth exponent of the time. The best of three runs counts
// for each size, so that other processes matter less.
func exponent[T any](of func(size int) T, do func(T)) float64 {
	var n, y []float64
	for _, size := range sizes {
		in, best := of(size), math.Inf(1)
		for range 3 {
			start := time.Now()
			do(in)
			best = min(best, time.Since(start).Seconds())
		}
		n, y = append(n, float64(size)), append(y, best)
	}
	b, _ := timing.Growth(n, y)
	return b
}

func dashed(name string) string { return strings.NewReplacer(" ", "-", ",", "").Replace(name) }
