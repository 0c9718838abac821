package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

func newCompletionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script for bash, zsh, fish or powershell",
		Long: `Prints a script that completes verbs, flags, stages, instances and variables. The shell
reads it when it starts:

  bash        source <(touchstone completion bash), with the package bash-completion
  zsh         touchstone completion zsh > "${fpath[1]}/_touchstone"
  fish        touchstone completion fish > ~/.config/fish/completions/touchstone.fish
  powershell  touchstone completion powershell | Out-String | Invoke-Expression`,
		Args:      arguments.Exactly(1),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root, w := cmd.Root(), cmd.OutOrStdout()
			write := map[string]func(io.Writer) error{
				"bash":       func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
				"zsh":        root.GenZshCompletion,
				"fish":       func(w io.Writer) error { return root.GenFishCompletion(w, true) },
				"powershell": root.GenPowerShellCompletionWithDesc,
			}
			if !slices.Contains(shells, args[0]) {
				return fmt.Errorf("there is no completion for %q; use one of %s", args[0], strings.Join(shells, ", "))
			}

			return write[args[0]](w)
		},
	}
}
