package scanner

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

var updateLexicon = flag.Bool("update", false, "write lexicon.bin and spelling.bin anew, from the word lists")

// TestMain holds what the program carries of the word lists against the lists,
// before any other test is mistaken about them.
func TestMain(m *testing.M) {
	if then := os.Getenv(startAndThen); then != "" {
		inFreshProcess(then)
		return
	}
	flag.Parse()
	lex := compileLexicon()
	var spelling packer
	spelling.trie(compileSpelling(lex))
	stale := false
	for _, f := range []struct {
		name         string
		want, packed []byte
	}{
		{"lexicon.bin", packLexicon(lex), lexicon.Packed},
		{"spelling.bin", spelling, lexicon.PackedSpelling},
	} {
		if bytes.Equal(f.want, f.packed) {
			continue
		}
		stale = true
		if !*updateLexicon {
			fmt.Println(f.name, "is not what the word lists give: run go test ./scanner -update")
		} else if err := os.WriteFile(f.name, f.want, 0o644); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	if stale && !*updateLexicon {
		os.Exit(1)
	}
	if stale {
		fmt.Println("the word lists are packed: run the tests again")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestUnpackedLexicon(t *testing.T) {
	lex := compileLexicon()
	if got := lexicon.Get(); !reflect.DeepEqual(got, lex) {
		t.Error("the lexicon is not what was packed")
	}
	if got := lexicon.Spelling(); !reflect.DeepEqual(got, compileSpelling(lex)) {
		t.Error("the trie of spellings is not what was packed")
	}
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
