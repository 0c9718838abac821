//go:build !linux || !amd64

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "campaigns: they trace system calls, which works on Linux on amd64 only")
	os.Exit(1)
}
