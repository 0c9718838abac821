package validation

import (
	"path/filepath"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/synthetic"
)

// BenchmarkLargeDatasets validates 50,000 tools with 10,000 queries.
func BenchmarkLargeDatasets(b *testing.B) {
	corpus, golden, err := synthetic.Generate(synthetic.Options{Tools: 50_000, Servers: 500, Queries: 10_000, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	benchmarkFiles(b, map[string]any{"corpus.json": corpus, "golden.json": golden})
}

// BenchmarkShippedDatasets validates the newest shipped corpus, golden set and
// security corpus.
func BenchmarkShippedDatasets(b *testing.B) {
	const dir = "../../../datasets/"
	lock, err := ReadLock(dir + "lock.json")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Check(lock, []string{dir + "corpus_v2.json", dir + "golden_v2.json", dir + "security_v2.json", dir + "cases_v2.json"}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkFiles(b *testing.B, files map[string]any) {
	dir := b.TempDir()
	for name, v := range files {
		if err := contracts.Write(filepath.Join(dir, name), v); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := Check(contracts.DatasetLock{}, []string{filepath.Join(dir, "corpus.json"), filepath.Join(dir, "golden.json")}); err != nil {
			b.Fatal(err)
		}
	}
}
