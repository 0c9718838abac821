package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

func newReportServeCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Serve a directory of reports over HTTP, by default reports/",
		Args:  arguments.AtMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "reports"
			if len(args) > 0 {
				dir = args[0]
			}

			if _, err := os.Stat(filepath.Join(dir, reportPage)); err != nil {
				return fmt.Errorf("%s contains no %s; run %s gate first", dir, reportPage, toolName)
			}

			l, err := net.Listen("tcp", listen)
			if err != nil {
				return fmt.Errorf("%w; choose another address with --listen", err)
			}

			fmt.Fprintln(cmd.OutOrStdout(), pageURL(l.Addr()))
			return serveReports(cmd.Context(), l, dir)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8321", "the address to listen on")
	return cmd
}

// serveReports serves dir until ctx ends. The root path shows the report.
func serveReports(ctx context.Context, l net.Listener, dir string) error {
	files := http.FileServerFS(os.DirFS(dir))
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				http.ServeFileFS(w, r, os.DirFS(dir), reportPage)
				return
			}

			files.ServeHTTP(w, r)
		}),
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}

	return nil
}
