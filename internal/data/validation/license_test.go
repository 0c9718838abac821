package validation

import (
	"strings"
	"testing"
)

func TestLicenses(t *testing.T) {
	for _, ok := range []string{
		"MIT", "apache-2.0", "BSD-3-Clause", "CC0-1.0", "CC-BY-4.0", "ISC", "Unlicense",
		"MIT OR Apache-2.0", "GPL-3.0-only OR MIT", "MIT AND CC-BY-4.0", "(MIT OR SSPL-1.0) AND ISC", "Apache-2.0 WITH LLVM-exception",
	} {
		if message, remedy := CheckLicense(ok); message != "" {
			t.Errorf("%s: %s; %s", ok, message, remedy)
		}
	}
	for expression, want := range map[string]string{
		"CC-BY-NC-4.0":           "forbids commercial use",
		"cc-by-nc-sa-4.0":        "forbids commercial use",
		"CC-BY-ND-4.0":           "forbids changed copies",
		"MIT AND CC-BY-NC-4.0":   "CC-BY-NC-4.0",
		"SSPL-1.0 OR BUSL-1.1":   "SSPL-1.0 restricts",
		"Proprietary":            "allows no copies",
		"LicenseRef-mine":        "a custom licence without a public text",
		"NOASSERTION":            "not known",
		"Apache-2":               `unknown licence "Apache-2"; did you mean "Apache-2.0"?`,
		"Beerware":               "not on the list",
		"Apache License, v2":     "is not an SPDX expression",
		"MIT OR":                 "is not an SPDX expression",
		"(MIT":                   "is not an SPDX expression",
		"MIT)":                   "is not an SPDX expression",
		"AND":                    "is not an SPDX expression",
		"MIT WITH":               "is not an SPDX expression",
		"":                       "is not an SPDX expression",
		strings.Repeat("(", 500): "is not an SPDX expression",
	} {
		message, remedy := CheckLicense(expression)
		if !strings.Contains(message+"; "+remedy, want) || message == "" || remedy == "" {
			t.Errorf("%q: %s; %s", expression, message, remedy)
		}
	}
}

func FuzzLicense(f *testing.F) {
	for _, s := range []string{"MIT OR (ISC AND CC0-1.0)", "((", ") OR", "MIT WITH x AND"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		message, remedy := CheckLicense(expression)
		if (message == "") != (remedy == "") {
			t.Errorf("%q; %q", message, remedy)
		}
		// An expression without an allowed licence must be refused.
		if message == "" {
			for _, id := range redistributable {
				if strings.Contains(strings.ToLower(expression), strings.ToLower(id)) {
					return
				}
			}
			t.Errorf("accepted %q", expression)
		}
	})
}
