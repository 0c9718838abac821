package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/touchstone-eval/touchstone/pipeline"
)

const example = `
variable "runs" {
  type    = number
  default = 1
}

stage "score" {
  matrix { run = range(1, var.runs + 1) }
  outputs = { report = "out/report.json" }
  command = ["score", "--run", matrix.run, "--out", output.report]
}

stage "total" {
  inputs  = { reports = stage.score.report }
  outputs = { sum = "out/sum.json" }
  command = ["total", "--reports", input.reports, "--out", output.sum]
}
`

// Load evaluates a pipeline and returns its stage instances, each after the
// instances that it reads.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "pipeline")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "pipeline.hcl")
	if err := os.WriteFile(file, []byte(example), 0o600); err != nil {
		panic(err)
	}

	plan, diags, files := pipeline.Load(pipeline.Options{File: file, Vars: []string{"runs=2"}})
	if diags.HasErrors() {
		if err := pipeline.WriteDiagnostics(os.Stderr, diags, files, false, 80); err != nil {
			panic(err)
		}
		return
	}
	for _, instance := range plan.Instances {
		fmt.Println(instance, instance.Command)
	}
	// Output:
	// score[run=1] [score --run 1 --out out/report.json]
	// score[run=2] [score --run 2 --out out/report.json]
	// total [total --reports in/reports --out out/sum.json]
}
