package refreshcorpus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
)

// keptBytes is how much of the output of a failed command the error shows.
const keptBytes = 4 << 10

// install copies the files of a block into a private directory and runs the
// block's command there, with what it needs of the variables.
func install(ctx context.Context, block *installBlock, from, to string, variables []string, log io.Writer) error {
	for _, name := range block.Files {
		name = filepath.FromSlash(name)
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return fmt.Errorf("install %q: %w; commit the file beside upstreams.hcl", block.Name, err)
		}

		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("install %q: %w", block.Name, err)
		}

		if err := os.WriteFile(target, text, 0o644); err != nil {
			return fmt.Errorf("install %q: %w; check the space there", block.Name, err)
		}
	}

	fmt.Fprintf(log, "installing %s: %s\n", block.Name, strings.Join(block.Command, " "))
	limited, cancel := context.WithTimeout(ctx, block.timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, block.Command[0], block.Command[1:]...)
	cmd.Dir = to
	cmd.Env = environment(variables, block.Passthrough)
	said := subprocess.NewTail(keptBytes)
	cmd.Stdout, cmd.Stderr = said, said
	// Package managers start children, which have to end with the command.
	err := subprocess.Run(limited, cmd)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return fmt.Errorf("install %q did not end within %s; increase its timeout if it needs longer", block.Name,
			block.timeout)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("install %q: %w; install that program first, or with dagger call, give an image that has it "+
			"with --container-image", block.Name, err)
	}

	return fmt.Errorf("install %q: %q failed (%w); the end of what it printed:\n%s", block.Name, block.Command, err,
		said.Indented())
}

// environment returns what a package manager needs: the locations of programs,
// caches and registries. Other variables are withheld from its scripts.
func environment(own, passthrough []string) []string {
	names := map[string]bool{
		"PATH": true, "HOME": true, "USER": true, "LANG": true, "TMPDIR": true, "SSL_CERT_FILE": true,
		"SSL_CERT_DIR": true, "NODE_EXTRA_CA_CERTS": true,
		"HTTP_PROXY": true, "HTTPS_PROXY": true, "NO_PROXY": true, "http_proxy": true, "https_proxy": true,
		"no_proxy": true,
	}
	for _, name := range passthrough {
		names[name] = true
	}

	var kept []string
	for _, v := range own {
		name, _, _ := strings.Cut(v, "=")
		settings := false
		for _, prefix := range []string{"npm_config_", "NPM_CONFIG_", "UV_", "PIP_"} {
			settings = settings || strings.HasPrefix(name, prefix)
		}

		if names[name] || settings {
			kept = append(kept, v)
		}
	}

	return kept
}
