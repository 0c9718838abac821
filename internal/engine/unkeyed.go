package engine

import (
	"bytes"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// Reads is a kind of program by what it reads besides its inputs and its own file.
type Reads string

// Kinds of programs.
const (
	ReadsNothing   Reads = ""
	ReadsPrograms  Reads = "a shell"        // the programs that it finds in PATH
	ReadsLibraries Reads = "an interpreter" // the packages of the system
	ReadsSystem    Reads = "a compiler"     // its parts, headers and libraries
)

// programs lists programs by kind. A name may be followed by a version.
var programs = map[Reads][]string{
	ReadsLibraries: {
		"python", "pypy", "ipython", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "java", "Rscript", "R",
		"lua", "luajit", "julia", "tclsh", "guile", "racket", "erl", "elixir", "pwsh", "dotnet",
	},
	ReadsSystem: {
		"cc", "c++", "gcc", "g++", "gfortran", "clang", "clang++", "tcc", "ld", "rustc", "cargo", "go", "javac",
		"kotlinc",
		"scalac", "ghc", "ocamlc", "ocamlopt", "dune", "swiftc", "tsc", "zig", "nim", "make", "gmake", "cmake", "ninja",
		"meson", "bazel", "mvn", "gradle", "npm", "npx", "yarn", "pnpm", "pip", "uv", "poetry", "latex", "pdflatex",
	},
}

// wrappers start the program that their arguments name.
var wrappers = []string{"env", "xargs", "timeout", "nice", "nohup", "setsid", "stdbuf", "time"}

// shells find other programs by themselves.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "busybox"}

// Unkeyed says which kind of program an instance runs that reads what its key does not cover, and the name of the
// program. A script runs the interpreter that its first line names. In an image, everything that a program reads is
// part of the image, which is in the key.
func Unkeyed(in *pipeline.Instance) (reads Reads, program string) {
	if in.Image != "" || len(in.Command) == 0 { // an instance that is off has no command
		return ReadsNothing, ""
	}

	if reads, program = unkeyed(in.Command); reads != ReadsNothing {
		return reads, program
	}

	if interpreter := interpreterOf(programFile(in)); interpreter != nil {
		return unkeyed(interpreter)
	}

	return ReadsNothing, ""
}

func unkeyed(command []string) (reads Reads, program string) {
	program = strings.TrimSuffix(path.Base(filepath.ToSlash(command[0])), ".exe")
	plain := strings.TrimRight(program, "-.0123456789")
	for kind, names := range programs {
		if slices.Contains(names, program) || plain != "" && slices.Contains(names, plain) {
			return kind, program
		}
	}

	switch {
	case slices.Contains(shells, program):
		return ReadsPrograms, program
	case slices.Contains(wrappers, program):
		// Its own arguments are no known programs.
		for i := 1; i < len(command); i++ {
			if reads, started := unkeyed(command[i:]); reads != ReadsNothing {
				return reads, started
			}
		}
		return ReadsPrograms, program
	}
	return ReadsNothing, ""
}

// programFile returns the file of an instance's program before the run, or "" if there is none, such as for a program
// that another stage makes.
func programFile(in *pipeline.Instance) string {
	name := in.Command[0]
	if filepath.IsAbs(name) || !strings.Contains(name, "/") {
		_, file, err := lookPath(name, searchPath(in))
		if err != nil {
			return ""
		}

		return file
	}

	for i := range in.Inputs {
		for _, f := range in.Inputs[i].Files {
			if path.Join(in.Inputs[i].Path, f.Path) == path.Clean(name) {
				return f.Source
			}
		}
	}

	return ""
}

// interpreterOf returns the command in the first line of a script, or nil for any other file.
func interpreterOf(file string) []string {
	if file == "" {
		return nil
	}

	f, err := os.Open(file)
	if err != nil {
		return nil // whoever executes it will say so
	}

	defer f.Close()
	line := make([]byte, 256) // the kernel reads no more of it
	n, _ := io.ReadFull(f, line)
	text, script := bytes.CutPrefix(line[:n], []byte("#!"))
	if !script {
		return nil
	}

	text, _, _ = bytes.Cut(text, []byte("\n"))
	if words := strings.Fields(string(text)); len(words) > 0 {
		return words
	}

	return nil
}

// commandNotFound is the exit status of a shell that does not find a program.
const commandNotFound = 127

// notFound returns a possible reason for an exit status, or "": a shell that did not find a program.
func notFound(in *pipeline.Instance, code int) string {
	if reads, _ := Unkeyed(in); code != commandNotFound || reads != ReadsPrograms {
		return ""
	}

	hint := "the shell did not find a program; if it is on this machine, declare its directory in env.PATH"
	for _, word := range in.Command[1:] {
		if slices.Contains(strings.Fields(word), "touchstone") {
			hint += `; a shell does not find touchstone, because the key would not cover it: write command = ` +
				`["touchstone", ...], with stdin and stdout in the place of redirections`
			break
		}
	}
	return hint
}

// NotCovered describes what the key of an instance does not cover, and the remedy. packages is whether it covers the
// packages that were installed with the program.
func (r Reads) NotCovered(packages bool) (what, remedy string) {
	switch r {
	case ReadsPrograms:
		return "the programs that the shell finds in PATH",
			"if one of these changes, run with --force, or name the program itself as the command"
	case ReadsLibraries:
		const remedy = `declare what can change as an input, such as inputs = { packages = "DIRECTORY" }`
		if packages {
			return "the standard libraries that the interpreter reads", remedy + ", or set image"
		}
		return "the libraries and packages that the interpreter reads",
			remedy + ", install the packages in a virtual environment, or set image"
	case ReadsSystem:
		return "the parts, headers and libraries of the system that the compiler reads",
			`declare what can change as an input, such as inputs = { headers = "/usr/include" }, or set image`
	}
	return "", ""
}

// CoversPackages reports whether the key of the outcome covers the packages that were installed with its program.
func (o *Outcome) CoversPackages() bool {
	return slices.ContainsFunc(o.components,
		func(c pipeline.KeyComponent) bool { return strings.HasPrefix(c.Name, "tool.packages of ") })
}

// word is the value of Result.Isolation that records it.
func (r Reads) word() string {
	switch r {
	case ReadsPrograms:
		return "programs-not-in-key"
	case ReadsLibraries:
		return "libraries-not-in-key"
	case ReadsSystem:
		return "toolchain-not-in-key"
	}
	return ""
}
