package undertest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
)

// ManifestFile is the name of the manifest in the output directory of build-proxy.
const ManifestFile = "proxy.json"

// readManifest reads the manifest of the proxy in dir.
func readManifest(dir string) (contracts.ProxyManifest, error) {
	m, err := contracts.Read[contracts.ProxyManifest](filepath.Join(dir, ManifestFile))
	if err != nil {
		return m, fmt.Errorf("the proxy's manifest: %w", err)
	}
	return m, nil
}

// driverOf returns how to start and query the proxy of m in opts.Dir. opts.Executable
// must be set.
func driverOf(m contracts.ProxyManifest, opts Options) (driver, error) {
	var exe string
	model, err := besideManifest(m, opts.Dir, "model", m.Model)
	if err != nil {
		return nil, err
	}

	if m.Kind == contracts.ProxyEmbedded || m.Kind == contracts.ProxyBinary {
		if exe, err = executable(m, opts.Dir, opts.Executable); err != nil {
			return nil, err
		}
	}

	if m.Adapter == "" {
		if exe == "" {
			return nil, fmt.Errorf("the manifest of proxy %q names neither a program nor an adapter: build it again",
				m.Name)
		}

		embedded := m.Kind == contracts.ProxyEmbedded
		return nativeDriver{append([]string{exe}, m.Args...), embedded, embedded, model, opts.QueryTimeout, 0}, nil
	}

	if !filepath.IsLocal(m.Adapter) {
		return nil, fmt.Errorf("the manifest of proxy %q names the adapter %q, which is not inside its directory: "+
			"build it again", m.Name, m.Adapter)
	}

	a, err := adapter.ReadFile(filepath.Join(opts.Dir, m.Adapter))
	if err != nil {
		return nil, err
	}

	setting := adapter.Setting{Touchstone: opts.Executable, Model: model, Options: m.Options}
	if m.Kind == contracts.ProxyBinary {
		setting.Binary = exe
	}

	if setting.Kept, err = besideManifest(m, opts.Dir, "kept files", m.Kept); err != nil {
		return nil, err
	}

	switch a.Contract {
	case adapter.Described:
		return &adapterDriver{adapter: a, setting: setting, timeout: opts.QueryTimeout}, nil
	case adapter.Lines:
		return &linesDriver{adapter: a, setting: setting}, nil
	}

	run, err := a.Run(setting)
	if err != nil {
		return nil, err
	}

	launch, err := run.Launch()
	if err != nil {
		return nil, err
	}

	return nativeDriver{launch.Argv, m.Kind == contracts.ProxyEmbedded, false, model, opts.QueryTimeout,
		a.PageSize()}, nil
}

// besideManifest returns the absolute path of a directory that the manifest of a proxy in dir
// names, or nothing if it names none. what says in errors what the directory has.
func besideManifest(m contracts.ProxyManifest, dir, what, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	if !filepath.IsLocal(path) {
		return "", fmt.Errorf("the manifest of proxy %q names the %s %q, which is not inside its directory: "+
			"build it again", m.Name, what, path)
	}
	return filepath.Abs(filepath.Join(dir, path))
}

// executable returns the file to execute for the proxy of m in dir.
func executable(m contracts.ProxyManifest, dir, self string) (string, error) {
	if m.Kind == contracts.ProxyEmbedded {
		return self, nil
	}

	if !filepath.IsLocal(m.Binary) {
		return "", fmt.Errorf("the manifest of proxy %q names the binary %q, which is not inside its directory: "+
			"build it again", m.Name, m.Binary)
	}

	path, err := filepath.Abs(filepath.Join(dir, m.Binary))
	if err != nil {
		return "", err
	}

	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("the binary of proxy %q: %w: build it again", m.Name, err)
	}

	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return "", errors.New("the binary of proxy " + m.Name + " is not an executable file: build it again")
	}

	return path, nil
}
