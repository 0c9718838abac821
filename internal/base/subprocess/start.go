package subprocess

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Start calls cmd.Start. If the kernel cannot find a program that exists, the
// error says what is missing.
func Start(cmd *exec.Cmd) error {
	err := cmd.Start()
	if err == nil {
		return nil
	}
	return Explained(err, absolute(cmd.Path, cmd.Dir))
}

// absolute returns the path of a program, which is relative to its directory.
func absolute(file, dir string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// Explained explains an error of starting file. The kernel reports that an
// existing file does not exist when its interpreter is missing: the loader of a
// dynamically linked program, or the program in the first line of a script.
func Explained(err error, file string) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	f, openErr := os.Open(file)
	if openErr != nil {
		return err
	}

	defer f.Close()
	interpreter, script := Interpreter(f)
	if !filepath.IsAbs(interpreter) {
		return err
	}

	if _, there := os.Stat(interpreter); !errors.Is(there, fs.ErrNotExist) {
		return err
	}

	if script {
		return fmt.Errorf("%w: the file exists, but its interpreter %s does not: run it in an image that has the "+
			"interpreter", err, interpreter)
	}

	return fmt.Errorf("%w: the file exists, but its dynamic loader %s does not: build it statically (a Go program "+
		"with CGO_ENABLED=0), or run it in an image that has the loader", err, interpreter)
}

// Interpreter returns what runs a program: the dynamic loader named by an ELF file, or the interpreter in the first
// line of a script, which may be relative to the working directory. It returns an empty path if there is none.
func Interpreter(f io.ReaderAt) (path string, script bool) {
	line, _ := bufio.NewReader(io.NewSectionReader(f, 0, 256)).ReadString('\n')
	if first, ok := strings.CutPrefix(line, "#!"); ok {
		words := strings.Fields(first)
		if len(words) == 0 {
			return "", false
		}

		return words[0], true
	}

	binary, err := elf.NewFile(f)
	if err != nil {
		return "", false
	}

	for _, p := range binary.Progs {
		if p.Type == elf.PT_INTERP {
			b, err := io.ReadAll(io.LimitReader(p.Open(), 4096))
			if err != nil {
				return "", false
			}

			return string(bytes.TrimRight(b, "\x00")), false
		}
	}

	return "", false
}
