// Package external describes datasets of other projects that are not in this
// repository: where they come from, under which licence, the digest that is
// expected, and which importer reads them. It finds them on this machine, and
// imports nothing into the tree.
package external

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclparse"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
)

// Source is one dataset of another project.
type Source struct {
	Name string `hcl:"name,label"`
	// About says what it is. Address is the page of the project, and Revision
	// the state that the digest is of.
	About    string `hcl:"about"`
	Address  string `hcl:"source"`
	Revision string `hcl:"revision,optional"`
	// License is an SPDX expression, or NOASSERTION if the project has none.
	License string `hcl:"license"`
	// Format names a format of convert. Files are patterns of paths that replace
	// those of the format.
	Format string   `hcl:"format"`
	Files  []string `hcl:"files,optional"`
	// SHA256 is the expected digest, see Digest. Without it, any content is taken.
	SHA256 string `hcl:"sha256,optional"`
	// URL is the address of the only file, for a source that has one, or with a
	// slash at its end that of the directory that Files are in.
	URL string `hcl:"url,optional"`
	// Attacks maps server:tool to an attack category, for sources of servers.
	Attacks map[string]string `hcl:"attacks,optional"`
	Range   hcl.Range         `hcl:",def_range"`
}

// maxFile is the size in bytes of the largest external.hcl.
const maxFile = 256 << 10

// Parse parses a file of sources. The error lists every problem with its line.
func Parse(file string, text []byte) ([]Source, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d KiB: split it", file, maxFile>>10)
	}

	var all struct {
		Sources []Source `hcl:"external,block"`
	}
	f, diags := hclparse.NewParser().ParseHCL(text, file)
	if !diags.HasErrors() {
		diags = append(diags, gohcl.DecodeBody(f.Body, nil, &all)...)
	}

	if !diags.HasErrors() {
		names := map[string]bool{}
		for i := range all.Sources {
			diags = append(diags, all.Sources[i].check(names)...)
		}
	}

	if diags.HasErrors() {
		var problems []error
		for _, d := range diags {
			at := file
			if d.Subject != nil {
				at = fmt.Sprintf("%s:%d,%d", d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column)
			}

			problems = append(problems,
				fmt.Errorf("%s: %s: %s", at, safetext.Visible(d.Summary), safetext.Visible(d.Detail)))
		}

		return nil, errors.Join(problems...)
	}

	slices.SortFunc(all.Sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	return all.Sources, nil
}

func (s *Source) check(names map[string]bool) (diags hcl.Diagnostics) {
	refuse := func(summary, detail string) {
		diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail,
			Subject: &s.Range})
	}
	if names[s.Name] {
		refuse(fmt.Sprintf("external %q is declared twice", s.Name), "rename one of the two")
	}

	names[s.Name] = true
	if strings.ContainsFunc(s.Name,
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }) || s.Name == "" {
		refuse(fmt.Sprintf("%q cannot be a name", s.Name),
			"it names a directory: use lower-case letters, digits and hyphens")
	}

	if _, ok := convert.FormatByName(s.Format); !ok {
		var known []string
		for _, f := range convert.Formats() {
			known = append(known, f.Name)
		}

		refuse(fmt.Sprintf("there is no format %q", s.Format), "use one of "+strings.Join(known, ", "))
	}

	for what, address := range map[string]string{"source": s.Address, "url": s.URL} {
		if a, err := url.Parse(address); (address != "" || what == "source") &&
			(err != nil || a.Scheme != "https" && a.Scheme != "http" || a.Host == "" || a.User != nil) {
			refuse(fmt.Sprintf("the %s is not an http or https address", what), "write it as https://host/path")
		}
	}

	if strings.TrimSpace(s.License) == "" {
		refuse("the licence is empty", "write an SPDX identifier, or NOASSERTION if the project has no licence")
	}

	if s.SHA256 != "" && (len(s.SHA256) != 64 || strings.Trim(s.SHA256, "0123456789abcdef") != "") {
		refuse("sha256 is not 64 lower-case hexadecimal digits", "data external prints the digest of what is there")
	}

	if s.URL != "" && s.SHA256 == "" {
		refuse("a source with a url has no sha256", "what is downloaded is compared with it")
	}

	if _, plain := s.downloads(); !plain {
		refuse("fetch cannot get the files below the url",
			"name each in files by its path, without * and ?, or leave the url out")
	}

	for _, pattern := range s.Files {
		if _, err := path.Match(pattern, ""); err != nil {
			refuse(fmt.Sprintf("%q is not a pattern", pattern),
				"use * and ? as in path names, and no brackets that do not close")
		}
	}

	for id, category := range s.Attacks {
		if !slices.Contains(contracts.AttackCategories, category) {
			refuse(fmt.Sprintf("%s has the category %q", id, category), "use one of "+
				strings.Join(contracts.AttackCategories, ", "))
		}
	}

	return diags
}

// format returns the format, with the source's own patterns.
func (s *Source) format() convert.Format {
	f, _ := convert.FormatByName(s.Format)
	if len(s.Files) > 0 {
		f.Files = s.Files
	}
	return f
}

// Import converts the files of a source. version is that of the datasets.
func (s *Source) Import(files []convert.File, version string) ([]convert.Imported, error) {
	from := s.Address
	if s.Revision != "" {
		from += " at " + s.Revision
	}
	return s.format().Import(s.Name, files, convert.ImportOptions{
		Version: version, Source: from, License: s.License, Attacks: s.Attacks,
	})
}
