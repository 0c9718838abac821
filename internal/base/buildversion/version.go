// Package buildversion returns the version of a program: of a release, of a published
// module, or of the source. It is the same for all programs of Touchstone.
package buildversion

import (
	"cmp"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Developed is the version of a build that is not of a release.
const Developed = "0.1.0"

// Of returns the version of this program. release is the version that the build of a
// release set, or "".
func Of(release string) string { return cmp.Or(release, installed(), Developed) }

// installed returns the version of a program that go install built from a published
// module, or "". A build of a working tree between two releases has none.
func installed() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return published(info.Main.Version)
}

// published returns a module's version without its v, or "" for one that was not
// published: a commit between two versions, or a tree with changes.
func published(v string) string {
	if !semver.IsValid(v) || module.IsPseudoVersion(v) || semver.Build(v) != "" {
		return ""
	}
	return strings.TrimPrefix(v, "v")
}
