package testprogram

import (
	"os"
	"os/exec"
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
	if other := Path(t, Touchstone, "CGO_ENABLED=0"); other == path {
		t.Error("another environment gives the same program")
	}
}
