package program

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	code := M{m}.Run()
	if _, err := os.Stat(built.dir); built.dir == "" || !os.IsNotExist(err) {
		panic("Run has left " + built.dir)
	}
	os.Exit(code)
}

func TestPath(t *testing.T) {
	path := Path(t, Touchstone)
	out, err := exec.Command(path, "version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "touchstone") {
		t.Errorf("%v: %s", err, out)
	}
	if again := Path(t, Touchstone); again != path {
		t.Errorf("a second call gives %s, the first %s", again, path)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "0"}) {
		t.Errorf("it is not built without C: %v", info.Settings)
	}
}
