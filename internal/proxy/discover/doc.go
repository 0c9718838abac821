// Package discover finds out how a proxy is started and searched: it reads the source in a directory, starts
// the program over a few replayed servers, asks its tools, tries the one that looks like a search, and
// describes what worked as an adapter.
//
// It guesses from names in the source and keeps nothing that it has not tried. Start reading with Find.
package discover
