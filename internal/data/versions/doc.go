// Package versions keeps the versions of datasets: it freezes a version in the
// lock file, lists what is there, writes an edit or new entries as the next
// version, and compares two of them.
package versions
