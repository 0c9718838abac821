// Command gendocs prints the reference of the pipeline language. It generates the reference from
// the tables that the decoder uses.
package main

import (
	"fmt"
	"os"

	"github.com/touchstone-eval/touchstone/pipeline"
)

func main() {
	if err := pipeline.WriteReference(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}
