package proofs

import (
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// excluded are the packages whose tests do not run with the additions. They run the program as a whole,
// which the other tests of this package do, or are this package. The pages of docs/contributing name
// their tests that an addition can fail.
var excluded = []string{"cmd/touchstone", "docs", "internal/testing/proofs"}

// handWritten are the tests that ask for what the pages of docs/contributing tell an author to write beside the
// code: the tables and pages of the documentation, and a test of the new check. None of that is in the
// overlay. The added detector flags every tool, which no detector that somebody keeps may do.
var handWritten = []string{
	"^TestDocs", "^TestEveryCheckHasAPageAndTests$", "^TestChecksAreDocumented$", "^TestExamples$", "^TestExplain$",
	"^TestExplainFitsTheSubject$", "^TestEveryDetectorAnswersEveryLine$/^suspicious$",
}

// reached lists the packages with tests that are built from a changed package.
func reached(t *testing.T, list string) []string {
	t.Helper()
	module := goTool(t, "list", "-m")
	changed := []string{}
	for _, a := range additions {
		changed = append(changed, path.Join(module, path.Dir(a.file)))
	}
	packages := []string{}
	tests := goTool(t, "list", "-overlay", list, "-test", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "./...")
	for line := range strings.Lines(tests) {
		fields := strings.Fields(line)
		name, isTest := strings.CutSuffix(fields[0], ".test")
		within := strings.TrimPrefix(name, module+"/")
		if isTest && !slices.Contains(excluded, within) &&
			slices.ContainsFunc(changed, func(p string) bool { return slices.Contains(fields[1:], p) }) {
			packages = append(packages, name)
		}
	}
	return packages
}

// goTool returns what go prints in the root of the module.
func goTool(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = "../../..", os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// An addition breaks no test of another package: no test assumes how many metrics, detectors, formats or
// checks there are.
func TestEveryOtherTestPassesWithWhatIsAddedInOnePlace(t *testing.T) {
	level.Thorough(t, "it runs the short tests of most packages")
	list, err := overlay()
	if err != nil {
		t.Fatal(err)
	}
	packages := reached(t, list)
	for _, want := range []string{
		"/metrics", "/contracts", "/stages/gate", "/stages/render", "/scanner", "/internal/report/fitness",
	} {
		if !slices.ContainsFunc(packages, func(p string) bool { return strings.HasSuffix(p, want) }) {
			t.Errorf("%s is not among the packages that an addition reaches: %v", want, packages)
		}
	}
	args := []string{"test", "-short", "-vet=off", "-overlay", list, "-skip", strings.Join(handWritten, "|")}
	cmd := exec.Command("go", append(args, packages...)...)
	cmd.Dir = "../../.."
	out, err := cmd.CombinedOutput()
	if err == nil {
		return
	}
	failures := []string{}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "ok ") && !strings.Contains(line, "[no test") {
			failures = append(failures, line)
		}
	}
	t.Errorf("%v: tests assume what docs/contributing lets an author add:\n%s", err, strings.Join(failures, ""))
}
