// Package decode finds text that hides in an encoding, a cipher, a spelling or a
// look-alike, and returns it in plain letters.
//
// Each decoder first asks a cheap question about the text as it stands; most texts
// answer no to all of them. Whether what was found is harmful is for checks to say:
// no decoder looks at meanings. The package knows one text at a time and no tools.
package decode
