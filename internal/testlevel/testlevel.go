// Package testlevel decides how much a run of the tests does. "go test -short ./..." leaves out
// everything that runs whole pipelines. "go test ./..." takes a few minutes and leaves out what
// Thorough skips. CI sets TOUCHSTONE_TESTS=thorough and runs everything.
package testlevel

import (
	"os"
	"testing"
)

const (
	variable = "TOUCHSTONE_TESTS"
	thorough = "thorough"
)

// Thorough skips the test, and says why it is long, unless the environment asks for thorough
// tests. Use it for a test that takes ten seconds of processor time or more and that
// repeats a check of a shorter test on more inputs, or that only changes outside the code
// can break.
func Thorough(t testing.TB, reason string) {
	t.Helper()
	if testing.Short() || os.Getenv(variable) != thorough {
		t.Skipf("%s; %s=%s runs it", reason, variable, thorough)
	}
}
