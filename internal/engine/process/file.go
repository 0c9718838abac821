package process

import (
	"os"
	"path/filepath"
	"strings"
)

// File returns the path of the program. A relative path is relative to Dir. A name is that of a file in the PATH of
// the command: the machine that made the command may have other files than the one that runs it. The result is
// a path in Dir if there is none.
func (c *Command) File() string {
	if filepath.IsAbs(c.Program) {
		return c.Program
	}

	if filepath.Base(c.Program) == c.Program {
		for _, variable := range c.Env {
			list, ok := strings.CutPrefix(variable, "PATH=")
			if !ok {
				continue
			}

			for _, dir := range filepath.SplitList(list) {
				file := filepath.Join(dir, c.Program)
				if st, err := os.Stat(file); filepath.IsAbs(file) && err == nil && st.Mode().IsRegular() &&
					st.Mode()&0o111 != 0 {
					return file
				}
			}
		}
	}

	return filepath.Join(c.Dir, c.Program)
}
