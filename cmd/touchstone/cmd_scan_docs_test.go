package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/scan/command"
	scanreport "github.com/touchstone-eval/touchstone/internal/scan/report"
)

// The flags, inputs and outputs in the pages about the scan exist.
func TestScanUsagePage(t *testing.T) {
	var text []byte
	for _, page := range []string{"../../docs/reference/scan.md", "../../docs/how-to/scan-in-ci.md"} {
		b, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, b...)
	}
	blocks := map[string][]string{}
	for _, m := range regexp.MustCompile("(?s)```(\\w*)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		blocks[m[1]] = append(blocks[m[1]], m[2])
	}
	if list, err := scanreport.ParseSuppressions("scan.hcl", []byte(blocks["hcl"][0])); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if !json.Valid([]byte(blocks["json"][0])) {
		t.Error("the example of the output is no JSON")
	}
	scan := command.New("touchstone scan", new(bool))
	known := func(name string) bool {
		for _, c := range append(scan.Commands(), scan) {
			if c.Flags().Lookup(name) != nil {
				return true
			}
		}
		return name == "help" || name == "json" || name == "version" // of touchstone-scan
	}
	for _, name := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(string(text), -1) {
		if !known(name[1]) {
			t.Errorf("a page names --%s, which is no flag", name[1])
		}
	}
	inputs := readAction(t, "ci/actions/scan").Inputs
	_, with, _ := strings.Cut(blocks["yaml"][0], "with:\n")
	for _, m := range regexp.MustCompile(`(?m)^      ([a-z-]+):`).FindAllStringSubmatch(with, -1) {
		if _, ok := inputs[m[1]]; !ok {
			t.Errorf("a page gives the action an input %s, which it does not have", m[1])
		}
	}
}
