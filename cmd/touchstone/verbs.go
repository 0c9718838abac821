//go:build !containers

package main

import (
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/scan/command"
)

func newScanCommand(flags *globalFlags) *cobra.Command {
	return command.New(toolName+" scan", &flags.json)
}
