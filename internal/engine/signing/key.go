// Package signing signs results and verifies their signatures. The keys, the signatures and the
// list of allowed signers are those of OpenSSH, as git uses them: "ssh-keygen -Y verify -n
// touchstone" accepts what Key.Sign returns. The package signs any bytes.
package signing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// Namespace is the namespace of every signature. A signature with another one, such as that of a
// commit, is not accepted.
const Namespace = "touchstone"

// A Key signs.
type Key struct {
	signer ssh.Signer
	agent  net.Conn // nil for a key that is not in an agent
}

// OpenKey reads a key. ref is the path of a private key of OpenSSH, file:PATH, or env:NAME for an
// environment variable that holds the key itself. The key of an encrypted file, or of the file of a
// public key, is used through the agent at SSH_AUTH_SOCK. lookup returns environment variables.
func OpenKey(ctx context.Context, ref string, lookup func(string) (string, bool)) (*Key, error) {
	content, err := readKey(ctx, ref, lookup)
	if err != nil {
		return nil, err
	}

	signer, err := ssh.ParsePrivateKey(content)
	if err == nil {
		return &Key{signer: signer}, nil
	}

	public, _, _, _, notPublic := ssh.ParseAuthorizedKey(content)
	var encrypted *ssh.PassphraseMissingError
	switch {
	case notPublic == nil:
	case !errors.As(err, &encrypted):
		return nil, fmt.Errorf("the signing key %s: %w; give a private key of OpenSSH, or a public key that "+
			"ssh-agent holds", ref, err)
	case encrypted.PublicKey == nil:
		return nil, fmt.Errorf("the signing key %s is encrypted; add it to ssh-agent with ssh-add, and give the "+
			"file of its public key", ref)
	default:
		public = encrypted.PublicKey
	}

	key, err := agentKey(public, lookup)
	if err != nil {
		return nil, fmt.Errorf("the signing key %s: %w; add the key with ssh-add, or give a private key that is not "+
			"encrypted", ref, err)
	}

	return key, nil
}

func readKey(ctx context.Context, ref string, lookup func(string) (string, bool)) ([]byte, error) {
	if name, ok := strings.CutPrefix(ref, "env:"); ok {
		value, set := lookup(name)
		if !set {
			return nil, fmt.Errorf("the signing key %s: the environment variable is not set", ref)
		}

		// CI hosts cut the newline at the end, without which a key does not parse.
		return []byte(strings.TrimSpace(value) + "\n"), nil
	}

	content, err := readlimit.File(ctx, strings.TrimPrefix(ref, "file:"), readlimit.MaxSecret)
	if err != nil {
		return nil, fmt.Errorf("the signing key: %w; create one with ssh-keygen -t ed25519", err)
	}

	return readlimit.WithoutMark(content), nil
}

// agentKey finds the private half of a key in the agent.
func agentKey(public ssh.PublicKey, lookup func(string) (string, bool)) (*Key, error) {
	socket, _ := lookup("SSH_AUTH_SOCK")
	if socket == "" {
		return nil, errors.New("it is not readable without an agent, and SSH_AUTH_SOCK is not set")
	}

	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, fmt.Errorf("no agent at SSH_AUTH_SOCK: %w", err)
	}

	signers, err := agent.NewClient(conn).Signers()
	for _, s := range signers {
		if bytes.Equal(s.PublicKey().Marshal(), public.Marshal()) {
			return &Key{signer: s, agent: conn}, nil
		}
	}

	_ = conn.Close() // only read from
	if err != nil {
		return nil, fmt.Errorf("the agent at SSH_AUTH_SOCK does not list its keys: %w", err)
	}

	return nil, fmt.Errorf("the agent at SSH_AUTH_SOCK does not hold %s", ssh.FingerprintSHA256(public))
}

// Fingerprint returns the fingerprint of the public key, such as "SHA256:...".
func (k *Key) Fingerprint() string { return ssh.FingerprintSHA256(k.signer.PublicKey()) }

// Sign returns the armored signature of a message.
func (k *Key) Sign(message []byte) ([]byte, error) {
	s, err := sshsig.Sign(bytes.NewReader(message), k.signer, sshsig.HashSHA512, Namespace)
	if err != nil {
		return nil, fmt.Errorf("signing with %s: %w", k.Fingerprint(), err)
	}
	return sshsig.Armor(s), nil
}

// Close ends the connection with the agent.
func (k *Key) Close() {
	if k.agent != nil {
		_ = k.agent.Close() // only read from
	}
}
