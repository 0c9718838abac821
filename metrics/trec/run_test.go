package trec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/touchstone-eval/touchstone/metrics"
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
	rng.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
	for i, res := range results {
		score := []string{"1", "0.5", "-2.25", ".125", "1e-3", "3.", "123456789.0625", "0.10000000149011612", "99999999999999999999"}[rng.IntN(9)]
		fmt.Fprintf(&r, "t%d Q0\tdoc%d %d %s tag%d\n", res.topic, res.document, i, score, i/40)
		if rng.IntN(20) == 0 {
			r.WriteString(" \n")
		}
	}
	return q.String(), r.String()
}

// TestBlocksAndReadersChangeNothing reads the same files cut into blocks of
// all sizes and by several readers at once.
func TestBlocksAndReadersChangeNothing(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(1, seed))
		_, text := randomFiles(rng)
		want, err := readRun("f", strings.NewReader(text), maxLine, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readRun("f", strings.NewReader(text), 1+rng.IntN(200), 1+rng.IntN(4))
		if err != nil {
			t.Fatal(err)
		}
		if got.Tag != want.Tag || !reflect.DeepEqual(got.Topics(), want.Topics()) {
			t.Fatalf("seed %d: tags %q, %q; topics %v, %v", seed, got.Tag, want.Tag, got.Topics(), want.Topics())
		}
		for _, topic := range want.Topics() {
			if a, b := got.Ranked(topic, nil), want.Ranked(topic, nil); !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d, topic %s: %v, %v", seed, topic, a, b)
			}
		}
	}
}

// TestEvaluateIsRankingAndCounting holds the counted ranks against a list that
// was really sorted.
func TestEvaluateIsRankingAndCounting(t *testing.T) {
	topics := 0
	for seed := range uint64(100) {
		q, r := randomFiles(rand.New(rand.NewPCG(2, seed)))
		qrels, run := readQrels(t, q), readRunFile(t, r)
		level := int(seed % 3)
		e, err := Evaluate(qrels, run, Options{Level: level})
		if errors.Is(err, ErrNoTopics) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, topic := range e.Topics {
			sorted := metrics.EvaluateTopic(metrics.IDs(run.Ranked(topic.ID, nil)), qrels[topic.ID], level)
			if want := figuresOf(sorted, StandardMeasures()); !reflect.DeepEqual(topic.Figures, want) {
				t.Fatalf("seed %d, topic %s: %v instead of %v", seed, topic.ID, topic.Figures, want)
			}
			topics++
		}
	}
	if topics < 100 {
		t.Errorf("only %d topics were compared", topics)
	}
}

func TestErrorsNameTheLineOfTheFileAcrossBlocks(t *testing.T) {
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
		"twice":  {"t2 Q0 d7 1 2 tag\nt1 Q0 d7 1 3 tag\nt1 Q0 d8 1 3 tag\n", `f:102: document "d7" stands twice in topic "t1", first in line 8`},
		"length": {strings.Repeat("x", maxLine+1), "f:101: the line is longer than 1 MiB"},
		"blank":  {strings.Repeat(" ", maxLine+1) + "\n", "f:101: the line is longer than 1 MiB"},
	} {
		for _, size := range []int{1, 64, 4096, maxLine / 2, maxLine, 3 * maxLine} {
			if size*1000 < len(c.more) {
				continue // what is read so far is copied for each block
			}
			_, err := readRun("f", strings.NewReader(text.String()+c.more), size, 3)
			var line *LineError
			if !errors.As(err, &line) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s in blocks of %d: %v", name, size, err)
			}
		}
	}
	broken := io.MultiReader(strings.NewReader(text.String()+"t1 Q0 d"), iotest.ErrReader(errors.New("the disk is gone")))
	if _, err := readRun("f", broken, 64, 3); err == nil || err.Error() != "cannot read f after line 100: the disk is gone" {
		t.Error(err)
	}
}

func FuzzParseNumber(f *testing.F) {
	for _, s := range []string{"1", "-0", "0.1", ".5", "5.", ".", "", "-", "1e5", "123456789012345", "1234567890123456.7", "0.00000000000000000000001", "+1", "1_0", "0x1p-2", "inf", "nan", "1..2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parseNumber([]byte(text))
		want, err := strconv.ParseFloat(text, 64)
		wantOK := (err == nil || errors.Is(err, strconv.ErrRange)) && !math.IsNaN(want)
		if ok != wantOK || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q: %v %v instead of %v %v", text, got, ok, want, wantOK)
		}
	})
}
