// Licenses writes the licenses of all modules that the released programs contain, on any
// system that they are released for: one directory per module with its license files, and
// an index with the address of the source of each. It fails on a license that is not
// accepted.
//
//	go run ./internal/testing/release/licenses -o licenses ./cmd/touchstone
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	out := flag.String("o", "licenses", "the directory to write, which must not exist")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

func run(out string, packages []string) error {
	modules, err := linked(packages)
	if err != nil {
		return err
	}
	texts, err := licensesOf(modules)
	if err != nil {
		return err
	}
	return write(out, texts)
}
