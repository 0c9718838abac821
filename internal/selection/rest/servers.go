package rest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

const serversPath = prefix + "/servers"

// byID is the input of a request for one thing.
type byID struct {
	ID string `path:"id" maxLength:"200" doc:"The id, or the name of a server or a case, or the label of a batch"`
	Conditional
}

// serverBody is a new server.
type serverBody struct {
	Name      string     `json:"name" minLength:"1" maxLength:"100"`
	URL       string     `json:"url" minLength:"1" maxLength:"2000" doc:"http or https, or stdio: and a command line"`
	Transport string     `json:"transport,omitempty" enum:"sse,streamable-http,stdio" doc:"What the URL calls for, where it is absent"`
	Login     *loginBody `json:"login,omitempty" doc:"What the server needs of those who use it"`
}

// loginBody is a login that a request may set up. Its values come from the requests
// that use the server: a client must not choose variables and files of the
// service's machine, which touchstone eval servers add can name.
type loginBody struct {
	Headers map[string]string `json:"headers" doc:"Headers and their values, such as Bearer ${request:TOKEN}. The value of ${request:NAME} is that of the header X-MCP-Secret-NAME of a request that uses the server. It is never stored"`
}

// serverPatch changes what is given.
type serverPatch struct {
	Name      *string `json:"name,omitempty" minLength:"1" maxLength:"100"`
	URL       *string `json:"url,omitempty" minLength:"1" maxLength:"2000"`
	Transport *string `json:"transport,omitempty" enum:"sse,streamable-http,stdio"`
}

// checkedServer is a server after a check of its connection.
type checkedServer struct {
	selection.Server
	Slow   bool   `json:"slow,omitempty" doc:"The server did not answer within the time of a check, and may answer later"`
	Reason string `json:"status_reason,omitempty" doc:"Why the connection failed, or was not tried"`
}

// storedServer is the answer to a new or changed server.
type storedServer struct {
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Body     checkedServer
}

type serverList struct {
	Conditional
	Paging
	Status string `query:"status" enum:"active,failed,inactive"`
	Search string `query:"search" maxLength:"200" doc:"In the name or the URL"`
	Sort   string `query:"sort" enum:"name,-name,created_at,-created_at,status,-status" default:"name"`
}

func (s *Service) addServers() {
	tags := []string{"servers"}
	register(s, huma.Operation{
		OperationID: "list-servers", Method: http.MethodGet, Path: serversPath, Tags: tags, Summary: "List servers",
	}, func(ctx context.Context, in *serverList) (*tagged[listPage[selection.Server]], error) {
		items, total, err := s.Store.Servers(ctx, store.ServerFilter{
			Status: selection.ServerStatus(in.Status), Search: in.Search, Sort: in.Sort, Page: in.page(),
		})
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, newListPage(items, total))
	})
	register(s, huma.Operation{
		OperationID: "create-server", Method: http.MethodPost, Path: serversPath, Tags: tags,
		DefaultStatus: http.StatusCreated,
		Summary:       "Add a server and check its connection",
		Description: "The check takes less than two seconds and reads no tools. A server that cannot be reached is " +
			"added as failed.",
	}, s.createServer)
	register(s, huma.Operation{
		OperationID: "get-server", Method: http.MethodGet, Path: serversPath + "/{id}", Tags: tags,
		Summary: "Read a server",
	}, func(ctx context.Context, in *byID) (*tagged[selection.Server], error) {
		server, err := s.Store.Server(ctx, in.ID)
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, server)
	})
	register(s, huma.Operation{
		OperationID: "update-server", Method: http.MethodPatch, Path: serversPath + "/{id}", Tags: tags,
		Summary: "Change a server and check its connection",
	}, s.updateServer)
	register(s, huma.Operation{
		OperationID: "check-server", Method: http.MethodPost, Path: serversPath + "/{id}/check", Tags: tags,
		DefaultStatus: http.StatusOK, Summary: "Check the connection of a server again",
	}, func(ctx context.Context, in *byID) (*storedServer, error) {
		server, err := s.Store.Server(ctx, in.ID)
		if err != nil {
			return nil, err
		}

		server, reason, err := runner.CheckAgain(ctx, s.Store, s.Live, server)
		if err != nil {
			return nil, err
		}

		out, err := checked(server, reason)
		if err == nil {
			out.Location = ""
		}

		return out, err
	})
	register(s, huma.Operation{
		OperationID: "list-server-tools", Method: http.MethodGet, Path: serversPath + "/{id}/tools", Tags: tags,
		Summary: "List the tools of a server", Description: "The server is asked for its tools now.",
	}, func(ctx context.Context, in *struct {
		ID string `path:"id" maxLength:"200"`
	}) (*body[listPage[selection.Tool]], error) {
		server, err := s.Store.Server(ctx, in.ID)
		if err != nil {
			return nil, err
		}

		tools, err := s.listTools(ctx, server)
		if err != nil {
			return nil, err
		}

		return &body[listPage[selection.Tool]]{newListPage(tools, len(tools))}, nil
	})
	register(s, huma.Operation{
		OperationID: "delete-server", Method: http.MethodDelete, Path: serversPath + "/{id}", Tags: tags,
		DefaultStatus: http.StatusNoContent,
		Summary:       "Delete a server that no case and no run needs",
	}, func(ctx context.Context, in *byID) (*struct{}, error) {
		return nil, s.Store.DeleteServer(ctx, in.ID)
	})
}

// mayStore refuses a program unless the user who started the service consented to
// starting programs.
func (s *Service) mayStore(server selection.Server) error {
	if err := server.Validate(); err != nil {
		return errInvalid(err.Error())
	}
	if strings.Contains(server.URL, "${") {
		return errInvalid("the URL has a reference, which a request may not give: use touchstone eval servers add")
	}
	if server.Transport == selection.Stdio && !s.Live.StartPrograms {
		return huma.Error403Forbidden("the server is a program, and this service starts none: start the service " +
			"with --start once you trust those who use it")
	}
	return nil
}

func (s *Service) createServer(ctx context.Context, in *struct{ Body serverBody }) (*storedServer, error) {
	server := selection.Server{Name: in.Body.Name, URL: in.Body.URL, Transport: selection.Transport(in.Body.Transport)}
	if in.Body.Login != nil {
		server.Login.Headers = in.Body.Login.Headers
		if err := onlyOfRequests(server.Login); err != nil {
			return nil, err
		}
	}

	if err := s.mayStore(server); err != nil {
		return nil, err
	}
	stored, reason, err := runner.Register(ctx, s.Store, s.Live, server)
	if err != nil {
		return nil, err
	}
	return checked(stored, reason)
}

func (s *Service) updateServer(ctx context.Context, in *struct {
	ID      string `path:"id" maxLength:"200"`
	IfMatch string `header:"If-Match" doc:"Change nothing unless the ETag is among these"`
	Body    serverPatch
}) (*storedServer, error) {
	server, err := s.Store.Server(ctx, in.ID)
	if err != nil {
		return nil, err
	}

	lock := s.lockFor(server.ID) // the path may have its name
	lock.Lock()
	defer lock.Unlock()
	server, err = s.Store.Server(ctx, server.ID)
	if err != nil {
		return nil, err
	}

	if err := unchanged(in.IfMatch, server); err != nil {
		return nil, err
	}

	if in.Body.Name != nil {
		server.Name = *in.Body.Name
	}

	if in.Body.URL != nil && *in.Body.URL != server.URL {
		// The secrets are for the address that the user who named them chose.
		if !selection.SameAddress(server.URL, *in.Body.URL) && onlyOfRequests(server.Login) != nil {
			return nil, huma.Error403Forbidden(
				"the login of the server names secrets of this machine, which are for its " +
					"present address: remove the server and add it again")
		}

		_, errOld := server.Command()
		server.URL = *in.Body.URL
		if _, errNew := server.Command(); (errOld == nil) != (errNew == nil) {
			server.Transport = "" // a program became an address, or the reverse
		}
	}

	if in.Body.Transport != nil {
		server.Transport = selection.Transport(*in.Body.Transport)
	}

	if err := s.mayStore(server); err != nil {
		return nil, err
	}

	stored, reason, err := runner.Change(ctx, s.Store, s.Live, server)
	if err != nil {
		return nil, err
	}

	out, err := checked(stored, reason)
	if err == nil {
		out.Location = ""
	}

	return out, err
}

// onlyOfRequests refuses a login with references to variables and files.
func onlyOfRequests(l selection.Login) error {
	if l.OAuth != nil || len(l.Env) > 0 {
		return errInvalid("a request may only give headers with ${request:NAME}")
	}
	for name, value := range l.Headers {
		value, err := selection.Reference(value)
		if err != nil {
			return errInvalid("header " + name + ": " + err.Error())
		}
		if strings.Contains(value, "${env:") || strings.Contains(value, "${file:") {
			return errInvalid("header " + name + ": a request may only refer to ${request:NAME}: use touchstone eval " +
				"servers add for variables and files of the service's machine")
		}
	}
	return nil
}

func checked(server selection.Server, reason error) (*storedServer, error) {
	tag, err := entityTag(server)
	if err != nil {
		return nil, err
	}

	out := &storedServer{Location: serversPath + "/" + server.ID, ETag: tag, Body: checkedServer{Server: server}}
	switch {
	case errors.Is(reason, runner.ErrNoConsent):
		out.Body.Reason = "it is a program, and this service starts none"
	case reason != nil:
		out.Body.Slow = errors.Is(reason, runner.ErrSlow)
		out.Body.Reason = safetext.Clip(reason.Error(), 500)
	}

	return out, nil
}
