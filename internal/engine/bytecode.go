package engine

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

// Python keeps the compiled code of a module beside its source and makes it when it likes. As long as it compares the
// two, which is so by default (PEP 552), the source decides what a command does, and the compiled code does not matter.

// moduleOf returns the path of the source of a module in Compiled. A program that runs the module on its own, as
// "python NAME.pyc" does, does not compare them.
func moduleOf(path string) string {
	module, _, _ := strings.Cut(filepath.Base(path), ".")
	return filepath.Join(filepath.Dir(filepath.Dir(path)), module+".py")
}

// checked is the state of compiled code that Python compares with its source, and of compiled code that is not there.
var checked = strconv.Quote("checked")

// isChecked reports whether the state of a module in Compiled is checked.
func isChecked(path string) bool {
	f, err := cache.OpenRegular(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}

	defer f.Close()
	var header [8]byte
	if _, err := io.ReadFull(f, header[:]); err != nil || string(header[2:4]) != "\r\n" {
		return false
	}

	const byTime, byCheckedHash = 0, 3
	flags := binary.LittleEndian.Uint32(header[4:])
	return flags == byTime || flags == byCheckedHash
}

// isUncompared reports whether Python reads a path only to write compiled code, or may not read it at all.
func isUncompared(r *reads.Read) bool {
	switch {
	case filepath.Base(r.Path) == reads.Compiled:
		return !r.Opened
	case !reads.IsBytecode(r.Path):
		return false
	}
	return r.Denied || !strings.HasSuffix(r.Path, ".pyc") && isChecked(r.Path)
}
