package refreshcorpus

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Download gets the packages of an upstreams file into out: for each
// install block, a directory of its name that is a cache of npm. It starts no server and runs no
// script of a package, so that what uses the network runs no program of others.
func Download(ctx context.Context, file, out string, log io.Writer) error {
	if log == nil {
		log = io.Discard
	}

	u, err := readUpstreams(file)
	if err != nil {
		return err
	}

	private, err := os.MkdirTemp("", "touchstone-download-")
	if err != nil {
		return fmt.Errorf("create a private directory: %w", err)
	}

	defer os.RemoveAll(private)
	_, locked, err := u.pinned(private)
	if err != nil {
		return err
	}

	if err := u.onlyNPM(locked); err != nil {
		return err
	}

	// The commands run in other directories.
	if out, err = filepath.Abs(out); err != nil {
		return err
	}

	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("create the directory of the packages: %w", err)
	}

	for i := range u.Installs {
		in := &u.Installs[i]
		packages := filepath.Join(out, in.Name)
		to := filepath.Join(private, in.Name)
		if err := os.MkdirAll(to, 0o755); err != nil {
			return fmt.Errorf("install %q: %w", in.Name, err)
		}

		if err := install(ctx, in, u.dir, to, npmVariables(os.Environ(), packages, false), log); err != nil {
			return fmt.Errorf("%w\nif a package was withdrawn, remove the servers that need it from %s and from the "+
				"lock file, and take the digests of the others with --pin", err, file)
		}

		if err := onlyPackages(packages); err != nil {
			return fmt.Errorf("install %q: %w", in.Name, err)
		}
	}

	return nil
}

// onlyNPM refuses install blocks whose packages cannot be kept for an installation without
// network.
func (u *upstreams) onlyNPM(locked locks) error {
	for i := range u.Installs {
		if in := &u.Installs[i]; !locked[in.Name].npm {
			return &usageError{fmt.Sprintf("install %q: %s is not a lock file of npm, and the packages of no other "+
				"package manager can be kept; use package-lock.json", in.Name, in.Lock)}
		}
	}
	return nil
}

// npmVariables returns the variables with the settings of npm that make it use packages as its
// cache, and run no script of a package. Other settings of its cache are left out.
func npmVariables(own []string, packages string, offline bool) []string {
	settings := map[string]string{
		"npm_config_cache": packages, "npm_config_ignore_scripts": "true", "npm_config_audit": "false",
		"npm_config_fund": "false", "npm_config_update_notifier": "false", "npm_config_logs_max": "0",
		"npm_config_offline": fmt.Sprint(offline),
	}
	kept := slices.DeleteFunc(slices.Clone(own), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, set := settings[strings.ToLower(name)]
		return set
	})
	for name, value := range settings {
		kept = append(kept, name+"="+value)
	}

	return kept
}

// onlyPackages removes what npm keeps beside the packages: logs and the time of its last check.
func onlyPackages(packages string) error {
	entries, err := os.ReadDir(packages)
	if err != nil {
		return fmt.Errorf("the command kept no packages: %w; it must be an installation by npm", err)
	}

	for _, e := range entries {
		if e.Name() == "_cacache" {
			err = os.RemoveAll(filepath.Join(packages, e.Name(), "tmp"))
		} else {
			err = os.RemoveAll(filepath.Join(packages, e.Name()))
		}

		if err != nil {
			return err
		}
	}

	return nil
}
