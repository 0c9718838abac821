// Command program is a bad proxy as a separate program, for tests that run the whole
// of touchstone. Its first argument is the fault.
package main

import (
	"os"

	"github.com/touchstone-eval/touchstone/internal/proxy/undertest/badproxy"
)

func main() { badproxy.Main(os.Args[1:]) }
