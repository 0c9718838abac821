package undertest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/touchstone-eval/touchstone/contracts"
)

// ManifestFile is the name of the manifest in the directory that build-proxy
// writes.
const ManifestFile = "proxy.json"

// ReadManifest reads the manifest of the proxy in dir.
func ReadManifest(dir string) (contracts.ProxyManifest, error) {
	m, err := contracts.Read[contracts.ProxyManifest](filepath.Join(dir, ManifestFile))
	if err != nil {
		return m, fmt.Errorf("the proxy's manifest: %w", err)
	}
	return m, nil
}

// program returns the file to execute for the proxy of m in dir.
func program(m contracts.ProxyManifest, dir, self string) (string, error) {
	if m.Kind == contracts.ProxyEmbedded {
		if self != "" {
			return self, nil
		}
		exe, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("find this program, which holds the reference proxy: %w", err)
		}
		return exe, nil
	}
	if !filepath.IsLocal(m.Binary) {
		return "", fmt.Errorf("the manifest of proxy %q names the binary %q, which is not inside its directory: build it again", m.Name, m.Binary)
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
