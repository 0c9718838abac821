package validation

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
)

// redistributable lists the SPDX identifiers of licences under which an entry
// may be copied, changed and redistributed, also commercially. The value
// self-authored is no identifier: published corpora use it for entries that the
// authors of the corpus wrote, under the licence of the corpus.
var redistributable = []string{
	"0BSD", "AFL-3.0", "Apache-2.0", "Artistic-2.0", "BlueOak-1.0.0",
	"BSD-2-Clause", "BSD-2-Clause-Patent", "BSD-3-Clause", "BSD-3-Clause-Clear", "BSL-1.0",
	"CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC0-1.0", "CC-PDDC",
	"CDLA-Permissive-1.0", "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "MPL-2.0",
	"NCSA", "ODC-By-1.0", "PDDL-1.0", "PostgreSQL", "PSF-2.0", "Python-2.0",
	"self-authored", "Unicode-3.0", "Unicode-DFS-2016", "Unlicense", "UPL-1.0", "WTFPL", "X11", "Zlib",
}

// restricted gives the reason for refusing a licence that is in use for data, by
// a prefix of its identifier.
var restricted = []struct{ prefix, why string }{
	{"CC-BY-NC", "it forbids commercial use"},
	{"CC-BY-ND", "it forbids changed copies"},
	{"BUSL-", "it restricts use until its change date"},
	{"SSPL-", "it restricts offering the work as a service"},
	{"Elastic-", "it restricts offering the work as a service"},
	{"AGPL-", "its conditions extend to what is built with the data"},
	{"GPL-", "its conditions extend to what is built with the data"},
	{"LGPL-", "its conditions extend to what is built with the data"},
	{"LicenseRef-", "it is a custom licence without a public text"},
	{"NOASSERTION", "it says that the licence is not known"},
	{"NONE", "it says that there is no licence"},
	{"Proprietary", "it allows no copies"},
}

const licenseRemedy = "leave the entry out, or use one under a licence such as MIT, Apache-2.0, BSD-3-Clause, ISC, " +
	"CC0-1.0 or CC-BY-4.0"

// CheckLicense checks an SPDX expression: one side of OR must be allowed, and
// both sides of AND. It returns an empty message if the licence is allowed.
func CheckLicense(expression string) (message, remedy string) {
	p := licenseParser{tokens: strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(expression))}
	refusal := p.or()
	if p.broken || len(p.tokens) > 0 {
		return fmt.Sprintf("licence %q is not an SPDX expression", expression),
			"write an SPDX identifier such as MIT or Apache-2.0"
	}
	if refusal == nil {
		return "", ""
	}
	return refusal.message, refusal.remedy
}

type licenseRefusal struct{ message, remedy string }

// licenseParser parses an expression from left to right. AND binds more tightly
// than OR.
type licenseParser struct {
	tokens []string
	broken bool
}

func (p *licenseParser) take(keyword string) bool {
	if len(p.tokens) > 0 && strings.EqualFold(p.tokens[0], keyword) {
		p.tokens = p.tokens[1:]
		return true
	}
	return false
}

func (p *licenseParser) or() *licenseRefusal {
	refusal := p.and()
	for p.take("OR") {
		if other := p.and(); other == nil {
			refusal = nil
		}
	}
	return refusal
}

func (p *licenseParser) and() *licenseRefusal {
	refusal := p.one()
	for p.take("AND") {
		if other := p.one(); refusal == nil {
			refusal = other
		}
	}
	return refusal
}

func (p *licenseParser) one() *licenseRefusal {
	if p.take("(") {
		refusal := p.or()
		p.broken = p.broken || !p.take(")")
		return refusal
	}

	if len(p.tokens) == 0 || p.take(")") || p.take("OR") || p.take("AND") || p.take("WITH") {
		p.broken = true
		return nil
	}

	id := p.tokens[0]
	p.tokens = p.tokens[1:]
	if p.take("WITH") { // an exception only adds permissions
		if len(p.tokens) == 0 {
			p.broken = true
			return nil
		}

		p.tokens = p.tokens[1:]
	}

	return refuseLicense(id)
}

func refuseLicense(id string) *licenseRefusal {
	best, distance := "", 3
	for _, known := range redistributable {
		if strings.EqualFold(id, known) {
			return nil
		}

		if d := levenshtein.Distance(strings.ToLower(id), strings.ToLower(known), nil); d < distance {
			best, distance = known, d
		}
	}

	for _, r := range restricted {
		if len(id) >= len(r.prefix) && strings.EqualFold(id[:len(r.prefix)], r.prefix) {
			return &licenseRefusal{fmt.Sprintf("licence %s restricts redistribution: %s", id, r.why), licenseRemedy}
		}
	}

	if best != "" {
		return &licenseRefusal{fmt.Sprintf("unknown licence %q", id), fmt.Sprintf("did you mean %q?", best)}
	}

	return &licenseRefusal{fmt.Sprintf("licence %q is not on the list of licences that allow redistribution", id),
		licenseRemedy}
}
