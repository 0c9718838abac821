package trec

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestFileIsAsGoodAsItsText evaluates a file, which is mapped if the system
// supports it, and the same text from memory.
func TestFileIsAsGoodAsItsText(t *testing.T) {
	qrelsText, runText := randomFiles(rand.New(rand.NewPCG(5, 1)))
	qrels := readQrels(t, qrelsText)
	want := evaluateText(t, qrels, runText, Options{Level: 1})
	dir := t.TempDir()
	for _, before := range []string{"", "not read\n"} {
		path := filepath.Join(dir, "run"+strconv.Itoa(len(before)))
		if err := os.WriteFile(path, []byte(before+runText), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Seek(int64(len(before)), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		got, err := Evaluate(qrels, path, f, Options{Level: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.All, want.All) {
			t.Errorf("%v are %v instead of %v", want.Names, got.All, want.All)
		}
	}
}

// TestNamesWithTheSameHash uses judged and other documents whose names have the
// same hash.
func TestNamesWithTheSameHash(t *testing.T) {
	met := make(map[uint32]string)
	var pairs [][2]string
	rng := rand.New(rand.NewPCG(5, 2))
	for len(pairs) < 8 {
		name := string([]byte{'a' + byte(rng.IntN(26)), 'a' + byte(rng.IntN(26)), 'a' + byte(rng.IntN(26)), 'a' + byte(rng.IntN(26)), 'a' + byte(rng.IntN(26))})
		other, ok := met[hashName([]byte(name))]
		if ok && other != name {
			pairs = append(pairs, [2]string{name, other})
		}
		met[hashName([]byte(name))] = name
	}
	var run strings.Builder
	qrels := Qrels{}
	for i, p := range pairs {
		run.WriteString("t Q0 " + p[0] + " 1 2.5 x\nt Q0 " + p[1] + " 1 " + []string{"2.5", "1.5"}[i%2] + " x\n")
		qrels["t"] = append(qrels["t"], Judgement{p[0], 1})
		if i%3 == 0 {
			qrels["t"] = append(qrels["t"], Judgement{p[1], 2})
		}
	}
	if judgedTwice(qrels["t"], new(nameTable)) {
		t.Error("two names with the same hash count as one")
	}
	got := evaluateText(t, qrels, run.String(), Options{Level: 1})
	want := evaluateSimply(rankSimply(run.String()), qrels, 1, StandardMeasures())["t"]
	for i, v := range want {
		if got.All[i] != v {
			t.Errorf("%s is %v instead of %v", got.Names[i], got.All[i], v)
		}
	}
	again := run.String() + "t Q0 " + pairs[3][1] + " 1 1.0 x\n"
	if err := checkRun("f", strings.NewReader(again), blockSize, 1); err == nil || !strings.HasPrefix(err.Error(), `f:17: document "`+pairs[3][1]+`" occurs twice in topic "t", first in line 8`) {
		t.Error(err)
	}
}

func FuzzWindow(f *testing.F) {
	f.Add("a b\tc\n\x00\x7f\x80\xff !\x20")
	f.Fuzz(func(t *testing.T, text string) {
		data := []byte(text)
		data = data[:min(len(data), windowSize)]
		var w window
		w.turnTo(data)
		for at := range data {
			bits := w.from(at)
			for i := range 64 {
				want := at+i < len(data) && data[at+i] <= ' '
				if bits>>i&1 == 1 != want {
					t.Fatalf("%q: byte %d is %v from %d on", text, at+i, !want, at)
				}
			}
		}
	})
}
