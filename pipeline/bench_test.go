package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/cache"
)

// planAndKey measures the work of this package in a run with nothing to do.
func planAndKey(b *testing.B, file string, instances int) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		plan, diags, _ := Load(Options{File: file})
		if diags.HasErrors() {
			b.Fatal(diags)
		}
		if len(plan.Instances) != instances {
			b.Fatalf("%d instances, want %d", len(plan.Instances), instances)
		}
		tools := []ToolIdentity{{Name: "cp", Digest: cache.Digest{1}}}
		digests := map[string]cache.Digest{"src": {2}}
		seen := make(map[cache.Key]bool, instances)
		for _, in := range plan.Instances {
			key, _ := in.Key(digests, tools)
			seen[key] = true
		}
		if len(seen) != instances {
			b.Fatalf("%d keys of %d instances", len(seen), instances)
		}
	}
}

func writePipeline(b *testing.B, src string, files ...string) string {
	b.Helper()
	dir := b.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	path := filepath.Join(dir, "pipeline.hcl")
	if err := os.WriteFile(path, []byte(src), 0o666); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkMatrix has one stage with a matrix that copies one file.
func BenchmarkMatrix(b *testing.B) {
	for _, n := range []int{10, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			planAndKey(b, writePipeline(b, fmt.Sprintf(`
stage "copy" {
  matrix { i = range(%d) }
  inputs  = { src = "data/a.txt" }
  outputs = { dst = "out/a.txt" }
  command = ["cp", input.src, output.dst]
}
`, n), "data/a.txt"), n)
		})
	}
}

// BenchmarkFiles has a stage that copies each of many files, and a stage that collects
// them.
func BenchmarkFiles(b *testing.B) {
	const n = 10_000
	var files []string
	for i := range n {
		files = append(files, fmt.Sprintf("data/%d.txt", i))
	}
	planAndKey(b, writePipeline(b, fmt.Sprintf(`
stage "copy" {
  matrix { i = range(%d) }
  inputs  = { src = "data/${matrix.i}.txt" }
  outputs = { dst = "out/${matrix.i}.txt" }
  command = ["cp", input.src, output.dst]
}
stage "gather" {
  inputs  = { src = stage.copy.dst }
  outputs = { all = "out/all.txt" }
  command = ["sh", "-c", "cat $0/*/* > $1", input.src, output.all]
}
`, n), files...), n+1)
}

// BenchmarkChain has stages that each read the previous one.
func BenchmarkChain(b *testing.B) {
	planAndKey(b, writePipeline(b, `
stage "first" {
  matrix { i = range(5000) }
  inputs  = { src = "data/a.txt" }
  outputs = { dst = "out/a.txt" }
  command = ["cp", input.src, output.dst]
}
stage "second" {
  matrix { i = range(5000) }
  inputs  = { src = stage.first["i=${matrix.i}"].dst }
  outputs = { dst = "out/a.txt" }
  command = ["cp", input.src, output.dst]
}
`, "data/a.txt"), 10_000)
}

// BenchmarkStages has as many stage blocks as instances.
func BenchmarkStages(b *testing.B) {
	for _, n := range []int{10, 1_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var src strings.Builder
			src.WriteString("stage \"s0\" {\n  outputs = { dst = \"out/a.txt\" }\n  command = [\"touch\", output.dst]\n}\n")
			for i := 1; i < n; i++ {
				fmt.Fprintf(&src, "stage \"s%d\" {\n  inputs = { src = stage.s%d.dst }\n  outputs = { dst = \"out/a.txt\" }\n  command = [\"cp\", input.src, output.dst]\n}\n", i, i/2)
			}
			planAndKey(b, writePipeline(b, src.String()), n)
		})
	}
}
