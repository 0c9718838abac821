package remote

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/cache"
)

// A name that the protocol has no form for is an error for a worker and escaped for a server of results. It is never a
// panic.
func TestNamesThatAreNotText(t *testing.T) {
	tree := treeOf([]cache.TreeEntry{{Path: "d\xe9", Mode: os.ModeDir | 0o755}, {Path: "d\xe9/f\xe9", Mode: 0o644},
		{Path: `d\xE9`, Mode: 0o644}, {Path: "l", Mode: os.ModeSymlink | 0o777, Symlink: "d\xe9/f\xe9"}})
	encode(tree)
	if got := tree.Root.Directories[0].Name + " " + tree.Children[0].Files[0].Name + " " + tree.Root.Symlinks[0].Target + " " + tree.Root.Files[0].Name; got != `d\xE9 f\xE9 d\xE9/f\xE9 d\\xE9` {
		t.Errorf("the server gets %s", got)
	}

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "caf\xe9"), nil, 0o644); err != nil {
		t.Skipf("%s: %v", runtime.GOOS, err)
	}
	if _, _, err := ReadDirectory(dir); err == nil || !strings.Contains(err.Error(), `the name "caf\xe9" is not UTF-8 text`) {
		t.Errorf("a worker gets %v", err)
	}
}
