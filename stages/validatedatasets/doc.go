// Package validatedatasets is the stage that checks data before anything is
// scored. It writes byte-identical copies of the files that it accepts, and a
// report. Package validation has the rules.
package validatedatasets
