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

// Start is cmd.Start, and says what is missing where the kernel does not find a
// program that is there.
func Start(cmd *exec.Cmd) error {
	err := cmd.Start()
	if err == nil {
		return nil
	}
	file := cmd.Path
	if !filepath.IsAbs(file) {
		file = filepath.Join(cmd.Dir, file)
	}
	return Explained(err, file)
}

// Explained is the error of starting a program's file. The kernel calls a file
// that is there missing when what should run it is: the loader of a dynamically
// linked program, or what the first line of a script names.
func Explained(err error, file string) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	interpreter, script := interpreterOf(file)
	if interpreter == "" {
		return err
	}
	if _, there := os.Stat(interpreter); !errors.Is(there, fs.ErrNotExist) {
		return err
	}
	if script {
		return fmt.Errorf("%w: the file is there, and %s, which its first line names, is not: run it in an image that has it", err, interpreter)
	}
	return fmt.Errorf("%w: the file is there, and its dynamic loader %s is not: build it statically (a Go program with CGO_ENABLED=0), or run it in an image that has the loader", err, interpreter)
}

// interpreterOf is what runs a program's file: the dynamic loader that an ELF
// file names, or what the first line of a script does. Empty where nothing is.
func interpreterOf(file string) (path string, script bool) {
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n')
	if first, ok := strings.CutPrefix(line, "#!"); ok {
		words := strings.Fields(first)
		if len(words) == 0 || !filepath.IsAbs(words[0]) {
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
