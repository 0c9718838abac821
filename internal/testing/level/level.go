// Package level decides how much a run of the tests does. "go test -short ./..." leaves out
// everything that runs whole pipelines. "go test ./..." takes a few minutes and leaves out what
// Thorough skips. TOUCHSTONE_TESTS=thorough runs everything, as CI does every night.
package level

import (
	"os"
	"testing"
)

const (
	variable = "TOUCHSTONE_TESTS"
	thorough = "thorough"
)

// Thorough skips the test, and says why it is long, unless the environment asks for thorough
// tests. Use it for a test that takes two seconds of processor time or more and that
// repeats a check of a shorter test on more inputs, or that only changes outside the code
// can break.
func Thorough(t testing.TB, reason string) {
	t.Helper()
	if !IsThorough() {
		t.Skipf("%s; %s=%s runs it", reason, variable, thorough)
	}
}

// IsThorough reports whether the environment asks for thorough tests.
func IsThorough() bool { return !testing.Short() && os.Getenv(variable) == thorough }

// Rounds is how often a test repeats what it does with other random inputs: few times, or
// many times if the environment asks for thorough tests.
func Rounds(few, many int) int {
	if IsThorough() {
		return many
	}
	return few
}
