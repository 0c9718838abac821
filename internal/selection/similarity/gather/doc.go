// Package gather collects the tools to compare: from MCP servers, which it
// lists now, from tool lists in files, or as given by the caller.
//
// It does not compare tools. It omits nothing silently: a server that does not
// answer and a tool that cannot be read are errors.
package gather
