package scanner

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestMain runs the tests, or acts as a process of BenchmarkFirstScan.
func TestMain(m *testing.M) {
	if then := os.Getenv(startAndThen); then != "" {
		inFreshProcess(then)
		return
	}
	os.Exit(m.Run())
}

// startAndThen is the environment variable that makes a process of the test
// binary do something else than run tests.
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

// BenchmarkFirstScan starts three processes: one does nothing, one scans a
// tool, and one scans a tool with misspelled words. It reports their processor
// time.
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
