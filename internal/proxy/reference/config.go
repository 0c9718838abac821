package reference

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// checkConfig reports the first problem that the schema of the file cannot express.
func checkConfig(cfg contracts.ProxyConfig) error {
	seen := map[string]bool{}
	for i, up := range cfg.Upstreams {
		switch {
		case up.Name == "":
			return fmt.Errorf("upstream %d has no name: add one, because it is the first part of its tools' ids", i+1)
		case strings.Contains(up.Name, ":"):
			return fmt.Errorf("upstream %q has a colon in its name: rename it, because a colon separates server and "+
				"tool in a tool's id", up.Name)
		case seen[up.Name]:
			return fmt.Errorf("upstream %q is configured twice: rename one of the two", up.Name)
		case len(up.Command) == 0 && up.URL == "":
			return fmt.Errorf("upstream %q has neither a command nor a url: add one of them", up.Name)
		case len(up.Command) > 0 && up.URL != "":
			return fmt.Errorf("upstream %q has both a command and a url: remove one of them", up.Name)
		}

		if up.URL != "" {
			u, err := url.Parse(up.URL)
			if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
				return fmt.Errorf("upstream %q has the url %q: it must start with http:// or https:// and name a host",
					up.Name, up.URL)
			}
		}

		seen[up.Name] = true
	}

	return nil
}
