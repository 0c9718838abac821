// Package gather collects the tools to compare: from MCP servers, which are
// asked now, from tool lists in files, or as they are given.
//
// Nothing here compares anything, and nothing is left out silently: a server
// that does not answer and a tool that cannot be read are errors.
package gather
