package scanner

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestMain runs the tests, or what a process of BenchmarkFirstScan is to do.
func TestMain(m *testing.M) {
	if then := os.Getenv(startAndThen); then != "" {
		inFreshProcess(then)
		return
	}
	os.Exit(m.Run())
}

// startAndThen is the variable that tells a process of the test's own program
// what to do instead of testing.
const startAndThen = "SCANNER_TEST_START_AND_THEN"

func inFreshProcess(then string) {
	description := "Departures from a stop in the next hour, delays included."
	switch then {
	case "spell":
		description = "Retruns teh weahter of a ctiy adn its surroundnigs for teh nxet few dyas."
		fallthrough
	case "scan":
		s, err := New()
		if err != nil {
			panic(err)
		}
		s.Scan([]Tool{{Server: "transit", Name: "get_departures", Description: description}})
	}
}

// BenchmarkFirstScan starts processes: one that does nothing, one that scans a
// tool, and one that scans a tool with misspelled words. It gives their
// processor time.
func BenchmarkFirstScan(b *testing.B) {
	for _, then := range []string{"end", "scan", "spell"} {
		b.Run(then, func(b *testing.B) {
			var spent time.Duration
			for b.Loop() {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), startAndThen+"="+then)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				spent += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
			b.ReportMetric(spent.Seconds()*1e3/float64(b.N), "cpu-ms/op")
		})
	}
}
