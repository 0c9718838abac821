package sentence_test

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/models"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/sentence"
)

var (
	writeTexts  = flag.String("texts", "", "write the texts of TestReference to this file, for testdata/reference.mjs")
	readVectors = flag.String("vectors", "", "compare every number of TestReference with the reference's vectors in this file")
	update      = flag.Bool("update", false, "with -vectors: write the fixture anew")
)

const (
	referenceTexts = 1000
	fixtureFile    = "testdata/reference.json"
	// tolerance is the largest allowed difference of a number from the
	// reference.
	tolerance = 1e-4
	// wholeEvery selects the texts whose whole vector is in the fixture.
	wholeEvery  = 20
	projections = 8
)

// fixture holds part of the reference's vectors of 1,000 texts: every 20th
// vector in full, and for each vector a few sums of all its numbers, each
// number with a fixed random sign. If one number of a vector is wrong, its sums
// are wrong. All numbers are little-endian float32.
type fixture struct {
	Vectors []byte `json:"vectors"`
	Sums    []byte `json:"sums"`
}

// sums are the fixture's sums of a vector.
func sums(vector []float32) []float32 {
	r := rand.New(rand.NewPCG(1, 512))
	out := make([]float32, projections)
	for i := range out {
		var sum float64
		for _, v := range vector {
			if r.Uint64()&1 == 0 {
				v = -v
			}
			sum += float64(v)
		}
		out[i] = float32(sum)
	}
	return out
}

func numbers(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

func bytesOf(b []byte, v []float32) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func distance(a, b []float32) (worst float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		worst = max(worst, math.Abs(float64(a[i])-float64(b[i])))
	}
	return worst
}

// realModel loads the model if it was added on this machine.
func realModel(t testing.TB) *sentence.Encoder {
	dir, err := cache.DefaultDir()
	if err != nil {
		t.Skip(err)
	}
	m, err := models.Find(models.USELite)
	if err != nil {
		t.Fatal(err)
	}
	store := models.Store{Dir: filepath.Join(dir, cache.ModelsDir)}
	if !store.Has(m) {
		t.Skipf("the model is not on this machine: add it with touchstone models add %s", m.Name)
	}
	e, err := store.Open(m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestReference compares the vectors of 1,000 texts with those of the reference
// implementation.
func TestReference(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes the vectors of 1,000 texts")
	}
	texts := manyTexts(referenceTexts)
	if *writeTexts != "" {
		b, err := json.Marshal(texts)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*writeTexts, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	encoder := realModel(t)
	vectors, err := encoder.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if *readVectors != "" {
		compareAll(t, texts, vectors)
	}
	var want fixture
	b, err := os.ReadFile(fixtureFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	whole, kept := numbers(want.Vectors), numbers(want.Sums)
	if len(whole) != referenceTexts/wholeEvery*sentence.Dimensions || len(kept) != referenceTexts*projections {
		t.Fatalf("%s holds %d numbers of vectors and %d sums", fixtureFile, len(whole), len(kept))
	}
	var worst, worstSum float64
	for i, v := range vectors {
		if i%wholeEvery == 0 {
			d := distance(v, whole[:sentence.Dimensions])
			whole = whole[sentence.Dimensions:]
			worst = max(worst, d)
			if d > tolerance {
				t.Errorf("text %d, %.60q: a number is %g from the reference's", i, texts[i], d)
			}
		}
		d := distance(sums(v), kept[i*projections:(i+1)*projections])
		worstSum = max(worstSum, d)
		if d > tolerance {
			t.Errorf("text %d, %.60q: a sum is %g from the reference's", i, texts[i], d)
		}
	}
	t.Logf("largest difference of a number %.2g, of a sum %.2g", worst, worstSum)
}

// compareAll compares every number with those in the file of -vectors, and
// writes the fixture with -update.
func compareAll(t *testing.T, texts []string, vectors [][]float32) {
	b, err := os.ReadFile(*readVectors)
	if err != nil {
		t.Fatal(err)
	}
	all := numbers(b)
	if len(all) != len(texts)*sentence.Dimensions {
		t.Fatalf("%s holds %d numbers, want %d for each of %d texts", *readVectors, len(all), sentence.Dimensions, len(texts))
	}
	var f fixture
	var worst float64
	for i := range texts {
		want := all[i*sentence.Dimensions : (i+1)*sentence.Dimensions]
		d := distance(vectors[i], want)
		worst = max(worst, d)
		if d > tolerance {
			t.Errorf("text %d, %.60q: a number is %g from the reference's", i, texts[i], d)
		}
		if i%wholeEvery == 0 {
			f.Vectors = bytesOf(f.Vectors, want)
		}
		f.Sums = bytesOf(f.Sums, sums(want))
	}
	t.Logf("largest difference of %d numbers: %.2g", len(all), worst)
	if !*update {
		return
	}
	out, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fixtureFile, append(out, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkShortSentence(b *testing.B) {
	encoder := realModel(b)
	texts := []string{"What is the weather in Paris today?"}
	for b.Loop() {
		if _, err := encoder.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBatch(b *testing.B) {
	encoder := realModel(b)
	texts := manyTexts(referenceTexts)[:200]
	for b.Loop() {
		if _, err := encoder.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*len(texts)), "ms/text")
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		realModel(b)
	}
}
