// Command program is a bad proxy as a program of its own, for tests that
// drive the whole of touchstone: its first argument is the way to misbehave.
package main

import (
	"os"

	"github.com/touchstone-eval/touchstone/internal/proxy/undertest/badproxy"
)

func main() { badproxy.Main(os.Args[1:]) }
