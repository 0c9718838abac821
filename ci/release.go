package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// release is the release that calls use unless they name another program: its version, and
// the SHA-256 digests of its archives by name. It is empty until there is a release.
// docs/contributing/release.md describes how it is updated.
var release = struct {
	version string
	digests map[string]string
}{}

// checksums is the name of the list of digests in a release.
const checksums = "checksums.txt"

// maxProgram is the maximum size of an unpacked program in bytes, many times the size of
// a real one.
const maxProgram = 1 << 30

// versionForm is the form of a version. The archives have names without the v of the tag.
var versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$`)

// archiveName returns the name of a release's archive for a platform such as linux/amd64.
// .goreleaser.yaml defines the names.
func archiveName(version, platform string) (string, error) {
	if !versionForm.MatchString(version) {
		return "", fmt.Errorf("%q is not a version such as 0.1.0: correct --version", version)
	}
	// A platform may end with a variant, such as linux/arm64/v8.
	parts := strings.Split(platform, "/")
	if len(parts) < 2 || parts[0] != "linux" || parts[1] != "amd64" && parts[1] != "arm64" {
		return "", fmt.Errorf("there is no release for the engine's platform %s: give a program with --binary, or "+
			"compile one with --build", platform)
	}
	return fmt.Sprintf("touchstone_%s_linux_%s.tar.gz", version, parts[1]), nil
}

// digestOf returns the digest of a file in a list in the format of sha256sum.
func digestOf(list, name string) (string, error) {
	for line := range strings.Lines(list) {
		// sha256sum marks a file that was read in binary mode with an asterisk.
		if f := strings.Fields(line); len(f) == 2 && strings.TrimPrefix(f[1], "*") == name {
			return parseDigest(f[0])
		}
	}
	return "", fmt.Errorf("there is no digest of %s: correct --version, or give a program with --binary", name)
}

// parseDigest returns a SHA-256 digest in lower-case hexadecimal digits. It accepts the
// prefix "sha256:".
func parseDigest(text string) (string, error) {
	digits := strings.ToLower(strings.TrimPrefix(text, "sha256:"))
	if b, err := hex.DecodeString(digits); err != nil || len(b) != 32 {
		return "", fmt.Errorf("%q is not a SHA-256 digest: give 64 hexadecimal digits", text)
	}
	return digits, nil
}

// unpack writes the program in a release's archive to a file.
func unpack(archive, to string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}

	defer f.Close()
	packed, err := programIn(f)
	if err != nil {
		return err
	}

	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}

	defer out.Close()
	n, err := io.Copy(out, io.LimitReader(packed, maxProgram+1))
	if err != nil {
		return fmt.Errorf("unpack the program: %w", err)
	}

	if n > maxProgram {
		return fmt.Errorf("the program is larger than %d bytes", maxProgram)
	}

	return out.Close()
}

// programIn returns a reader of the program in a compressed archive.
func programIn(archive io.Reader) (io.Reader, error) {
	expanded, err := gzip.NewReader(archive)
	if err != nil {
		return nil, fmt.Errorf("not a compressed archive: %w", err)
	}

	members := tar.NewReader(expanded)
	for {
		member, err := members.Next()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the archive does not contain the file touchstone")
		}

		if err != nil {
			return nil, fmt.Errorf("not an archive: %w", err)
		}

		if member.Name == "touchstone" && member.Typeflag == tar.TypeReg {
			return members, nil
		}
	}
}
