package trec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// randomFiles makes a run with ties, gaps, mixed topics and odd numbers, and
// qrels that judge some of it.
func randomFiles(rng *rand.Rand) (qrels, run string) {
	var q, r strings.Builder
	for topic := range 1 + rng.IntN(8) {
		for d := range 1 + rng.IntN(60) {
			if rng.IntN(3) == 0 {
				fmt.Fprintf(&q, "t%d 0 doc%d %d\n", topic, d, rng.IntN(5)-1)
			}
		}
	}
	type result struct{ topic, document int }
	var results []result
	for topic := range 1 + rng.IntN(8) {
		for d := range rng.IntN(60) {
			results = append(results, result{topic, d})
		}
	}
	// Topics stand together, or in stretches, or nowhere.
	together := rng.IntN(3)
	if together < 2 {
		rng.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	}
	if together == 1 {
		slices.SortStableFunc(results, func(a, b result) int { return cmp.Compare(a.topic%3, b.topic%3) })
	}
	inOrder := rng.IntN(2) == 0
	for i, res := range results {
		score := []string{"1", "0.5", "-2.25", ".125", "1e-3", "3.", "123456789.0625", "0.10000000149011612", "99999999999999999999", "0.125000", "12.345678"}[rng.IntN(11)]
		if inOrder {
			score = fmt.Sprintf("%.3f", 10-float64(i)/float64(3+rng.IntN(2)))
		}
		fmt.Fprintf(&r, "t%d Q0\tdoc%d %d %s tag%d\n", res.topic, res.document, i, score, i/40)
		if rng.IntN(20) == 0 {
			r.WriteString(" \n")
		}
	}
	return q.String(), r.String()
}

// pieces reads at most size bytes at a time.
type pieces struct {
	io.Reader
	size int
}

func (p pieces) Read(data []byte) (int, error) { return p.Reader.Read(data[:min(len(data), p.size)]) }

func inPieces(text string, size int) io.Reader { return pieces{strings.NewReader(text), size} }

// TestEvaluateIsRankingAndCounting compares the figures with those of lists
// that a simple reader made, with files that arrive in pieces of all sizes.
func TestEvaluateIsRankingAndCounting(t *testing.T) {
	topics := 0
	for seed := range uint64(level.Rounds(100, 400)) {
		rng := rand.New(rand.NewPCG(2, seed))
		q, r := randomFiles(rng)
		qrels := readQrels(t, q)
		opts := Options{Level: int(seed % 3)}
		want := evaluateSimply(rankSimply(r), qrels, opts.Level, StandardMeasures())
		for range 3 {
			e, err := Evaluate(qrels, "f", inPieces(r, 1+rng.IntN(3000)), opts)
			if errors.Is(err, ErrNoTopics) && len(want) == 0 {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(e.Topics) != len(want) {
				t.Fatalf("seed %d: %d topics instead of %d", seed, len(e.Topics), len(want))
			}
			for _, topic := range e.Topics {
				if !reflect.DeepEqual(topic.Figures, want[topic.ID]) {
					t.Fatalf("seed %d, topic %s: %v instead of %v", seed, topic.ID, topic.Figures, want[topic.ID])
				}
				topics++
			}
		}
	}
	if topics < level.Rounds(250, 1000) {
		t.Errorf("only %d topics were compared", topics)
	}
}

func TestErrorsNameTheLineOfTheFileAcrossReads(t *testing.T) {
	good := "t1 Q0 d%d 1 2 tag\n"
	var text bytes.Buffer
	for i := range 100 {
		fmt.Fprintf(&text, good, i)
	}
	for name, c := range map[string]struct{ more, want string }{
		"short":  {"t1 Q0 d 1 2\n" + "t1\n", "f:101: 5 fields instead of 6"},
		"score":  {"\nt1 Q0 d 1 x tag\n", `f:102: score "x" is not a number`},
		"nan":    {"t1 Q0 d 1 nan tag", `f:101: score "nan" is not a number`},
		"nul":    {"t1 Q0 d 1 2 tag \x00\nt1", "f:101: the line holds a NUL byte"},
		"twice":  {"t2 Q0 d7 1 2 tag\nt1 Q0 d7 1 3 tag\nt1 Q0 d8 1 3 tag\n", `f:102: document "d7" occurs twice in topic "t1", first in line 8`},
		"length": {strings.Repeat("x", maxLine+1), "f:101: the line is longer than 1 MiB"},
		"blank":  {strings.Repeat(" ", maxLine+1) + "\n", "f:101: the line is longer than 1 MiB"},
	} {
		for _, size := range []int{1, 64, 4096, maxLine / 2, maxLine, 3 * maxLine} {
			if size*1000 < len(c.more) {
				continue // it takes long and says no more
			}
			err := checkRun("f", inPieces(text.String()+c.more, size))
			var line *LineError
			if !errors.As(err, &line) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s in pieces of %d: %v", name, size, err)
			}
		}
	}
	broken := io.MultiReader(strings.NewReader(text.String()+"t1 Q0 d"), iotest.ErrReader(errors.New("the disk is gone")))
	if err := checkRun("f", broken); err == nil || err.Error() != "cannot read f after line 100: the disk is gone" {
		t.Error(err)
	}
}

func FuzzParseNumber(f *testing.F) {
	for _, s := range []string{"1", "-0", "0.1", ".5", "5.", ".", "", "-", "1e5", "123456789012345", "1234567890123456.7", "0.00000000000000000000001", "+1", "1_0", "0x1p-2", "inf", "nan", "1..2"} {
		f.Add(s)
	}
	for _, s := range []string{"12.5", "-0.0", "12345678.1234567", "123456789.1", "1.12345678", "0.000001", "1.-5", "-1.5", "1.5.2", "99999999.9999999", "00000001.50"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseNumber([]byte(text))
		want, err := strconv.ParseFloat(text, 64)
		wantOK := (err == nil || errors.Is(err, strconv.ErrRange)) && !math.IsNaN(want) &&
			!strings.ContainsAny(text, "_xX")
		if ok != wantOK || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q: %v %v instead of %v %v", text, got, ok, want, wantOK)
		}
	})
}
