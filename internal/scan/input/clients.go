package input

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ClientFiles lists the configuration files of clients: those of the user, in
// home and the configuration directory (~/.config or the system's equivalent),
// and those of the project in dir.
func ClientFiles(home, config, dir string) []string {
	return []string{
		filepath.Join(config, "Claude", "claude_desktop_config.json"),
		filepath.Join(config, "Code", "User", "mcp.json"),
		filepath.Join(config, "Code", "User", "settings.json"),
		filepath.Join(config, "Code - Insiders", "User", "mcp.json"),
		filepath.Join(config, "Zed", "settings.json"),
		filepath.Join(home, ".config", "zed", "settings.json"),
		filepath.Join(home, ".codex", "config.toml"),
		filepath.Join(home, ".claude.json"),
		filepath.Join(home, ".codeium", "windsurf", "mcp_config.json"),
		filepath.Join(home, ".cursor", "mcp.json"),
		filepath.Join(home, ".gemini", "settings.json"),
		filepath.Join(dir, ".codex", "config.toml"),
		filepath.Join(dir, ".cursor", "mcp.json"),
		filepath.Join(dir, ".gemini", "settings.json"),
		filepath.Join(dir, ".mcp.json"),
		filepath.Join(dir, ".vscode", "mcp.json"),
		filepath.Join(dir, ".vscode", "settings.json"),
		filepath.Join(dir, ".zed", "settings.json"),
	}
}

// ReadClients reads the existing ones of the files. It skips settings without
// servers, and records a file that cannot be read as not scanned. If no file
// exists, it returns an error.
func ReadClients(ctx context.Context, files []string) (*Input, error) {
	in := &Input{}
	there := 0
	var read []os.FileInfo
	for _, p := range files {
		st, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		there++
		if err == nil && alreadyRead(read, st) {
			continue // the project directory is the user's home
		}

		read = append(read, st)
		one, err := readFile(ctx, p, "")
		var bad *InputError
		switch {
		case err == nil:
			in.add(one)
		case errors.As(err, &bad) && bad.OtherKind:
			in.PassedOver = append(in.PassedOver, PassedOver{Path: filepath.ToSlash(p), Reason: bad.Reason})
		default:
			in.Unscanned = append(in.Unscanned, unread(p, err))
		}
	}

	if there == 0 {
		return nil, &InputError{
			Place:  Place{File: "the configurations of clients"},
			Reason: "there is none at " + strings.Join(files, ", "),
			Remedy: "name the file of your client",
		}
	}

	in.sort()
	return in, nil
}

func alreadyRead(read []os.FileInfo, st os.FileInfo) bool {
	for _, r := range read {
		if os.SameFile(r, st) {
			return true
		}
	}
	return false
}

// unread records a file that could not be read.
func unread(p string, err error) Unscanned {
	u := Unscanned{Place: Place{File: p}, Reason: err.Error(), Remedy: "correct it, or scan without it"}
	var bad *InputError
	if errors.As(err, &bad) {
		u.Place, u.Reason, u.Remedy = bad.Place, bad.Reason, bad.Remedy
	}
	return u
}
