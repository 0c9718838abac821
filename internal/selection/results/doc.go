// Package results writes the results of runs as CSV, as JUnit XML and as a page. It
// is the only place that builds these files: the command line and the service write
// the same bytes.
package results
