//go:build !containers

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// ciProgram is how a job of CI gets touchstone and what the proxy needs.
type ciProgram struct {
	// released reports whether there is a release of this version.
	released bool
	// revision is the commit of this program, or empty if it is unknown.
	revision string
	// programs are those that build and start the proxy, such as node.
	programs []string
}

// thisProgram returns how CI gets the program that runs.
func thisProgram(programs []string) ciProgram {
	p := ciProgram{released: release != "", programs: programs}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}

	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			p.revision = s.Value
		}
	}

	// A program that "go install" built from a commit has its start in the version.
	if m := pseudoVersion().FindStringSubmatch(info.Main.Version); p.revision == "" && m != nil {
		p.revision = m[1]
	}

	return p
}

var pseudoVersion = lazyregexp.New(`^v0\.0\.0-.*-([0-9a-f]{12})$`)

// commit is what names the sources before a release.
func (p ciProgram) commit() string {
	if p.revision == "" {
		return "main"
	}
	return p.revision
}

// action returns the revision of the action that belongs to this program.
func (p ciProgram) action() string {
	switch {
	case !p.released:
		return p.commit()
	case p.revision == "":
		return "v" + version
	}
	return p.revision + " # v" + version
}

// neededPrograms are programs that may build or start a proxy, with the package of Debian that has each.
var neededPrograms = map[string]string{
	"node": "nodejs", "npm": "npm", "npx": "npm", "python3": "python3", "go": "golang-go", "make": "make",
}

var quotedProgram = lazyregexp.New(`"(node|npm|npx|python3|go|make)[" ]`)

// programsOf lists the programs that an adapter and a build command name.
func programsOf(adapter []byte, build []string) []string {
	var list []string
	for _, m := range quotedProgram().FindAllSubmatch(adapter, -1) {
		list = append(list, string(m[1]))
	}
	if len(build) > 0 && neededPrograms[build[0]] != "" {
		list = append(list, build[0])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// provide is a script that finds or installs a program and links it where stages look for programs.
const provide = `for program in %s; do
  command -v "$program" || { $(command -v sudo) apt-get update -qq; $(command -v sudo) apt-get install -qq -y %s; }
  PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin command -v "$program" ||
    $(command -v sudo) ln -s "$(command -v "$program")" "/usr/local/bin/$program"
done
`

// providing returns the script for the programs of the proxy.
func (p ciProgram) providing(indent string) string {
	var packages []string
	for _, name := range p.programs {
		packages = append(packages, neededPrograms[name])
	}
	slices.Sort(packages)
	text := fmt.Sprintf(provide, strings.Join(p.programs, " "), strings.Join(slices.Compact(packages), " "))
	return indent + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+indent) + "\n"
}

// install builds the program from its commit. Go fetches the version of Go that go.mod names.
func (p ciProgram) install(to string) string {
	return `CGO_ENABLED=0 GOBIN="` + to + `" go install github.com/touchstone-eval/touchstone/cmd/touchstone@` +
		p.commit()
}

// githubSteps returns the steps before the action.
func (p ciProgram) githubSteps() string {
	text := ""
	if len(p.programs) > 0 {
		text += "      - name: What builds and starts the proxy\n        run: |\n" + p.providing("          ")
	}

	if p.released {
		return text
	}

	return text + `      # There is no release yet, so the program is built from a commit. At ` + version + `, remove the two steps below
      # and the line "program:", and name the release after touchstone@.
      - uses: actions/cache@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5
        with:
          path: |
            ~/.cache/go-build
            ~/go/pkg/mod
          key: touchstone-${{ runner.os }}-` + p.commit() + `
      - name: Build touchstone
        run: ` + p.install("$RUNNER_TEMP/touchstone-bin") + "\n"
}

// gitlabBefore returns the commands before the job, on GitLab.
func (p ciProgram) gitlabBefore() string {
	if len(p.programs) == 0 {
		return ""
	}
	return "  before_script:\n    - |\n" + p.providing("      ")
}

// gitlabJob returns the job of the component with a program that is built from a commit.
func (p ciProgram) gitlabJob(template []byte, below string) (string, error) {
	head, job, _ := bytes.Cut(template, []byte("\n---\n"))
	var header struct {
		Spec struct {
			Inputs map[string]struct{ Default string }
		}
	}
	if err := yaml.Unmarshal(head, &header); err != nil {
		return "", fmt.Errorf("the template of the job: %w", err)
	}

	values := map[string]string{
		"directory": below, "vars": "changed_data.frozen=refuse", "image": "golang:1.26.8-bookworm",
	}
	text := componentInput().ReplaceAllStringFunc(string(job), func(found string) string {
		name := componentInput().FindStringSubmatch(found)[1]
		value, ok := values[name]
		if !ok {
			value = header.Spec.Inputs[name].Default
		}
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value)
	})
	fetch, gate := strings.Index(text, "    - |\n      case "), strings.Index(text, "    - |\n      cd ")
	if fetch < 0 || gate < fetch {
		return "", fmt.Errorf("the template of the job has no script that fetches the program")
	}

	build := `    # There is no release yet, so the program is built from a commit. At ` + version + `, run init again in an empty
    # directory, and take the file that it writes.
    - export GOPATH="$CI_PROJECT_DIR/.touchstone/go" GOCACHE="$CI_PROJECT_DIR/.touchstone/go-build"
    - ` + p.install("$CI_PROJECT_DIR/.touchstone/bin") + `
    - touchstone="$CI_PROJECT_DIR/.touchstone/bin/touchstone"
`
	text = text[:fetch] + build + text[gate:]
	text = strings.Replace(text, "paths: [.touchstone/store]", "paths: [.touchstone/store, .touchstone/go, "+
		".touchstone/go-build]", 1)
	for _, unused := range []string{"VERSION", "SHA256", "DOWNLOADS"} {
		text = regexp.MustCompile(`(?m)^    TOUCHSTONE_`+unused+`:.*\n`).ReplaceAllString(text, "")
	}

	return strings.Replace(text, "  script:\n", p.gitlabBefore()+"  script:\n", 1), nil
}

var componentInput = lazyregexp.New(`\$\[\[ inputs\.([\w-]+) \]\]`)
