package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// authority signs the certificates of a cluster, which are valid for a day.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// newAuthority writes ca.crt, and the keys that sign service account tokens,
// to a folder.
func newAuthority(dir string) (*authority, error) {
	a := &authority{dir: dir}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "kubernetes"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	var err error
	if a.cert, a.key, err = a.issue("ca", template); err != nil {
		return nil, err
	}
	return a, a.writeAccountKeys()
}

// issue writes name.crt and name.key for a certificate. The first one signs
// itself.
func (a *authority) issue(name string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, big.NewInt(1<<62)); err != nil {
		return nil, nil, err
	}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	if err := a.write(name+".crt", "CERTIFICATE", der); err != nil {
		return nil, nil, err
	}
	if err := a.write(name+".key", "PRIVATE KEY", private); err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return cert, key, err
}

func (a *authority) writeAccountKeys() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	if err := a.write("accounts.key", "EC PRIVATE KEY", private); err != nil {
		return err
	}
	return a.write("accounts.pub", "PUBLIC KEY", public)
}

func (a *authority) write(file, kind string, der []byte) error {
	return os.WriteFile(a.path(file), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

func (a *authority) path(file string) string { return filepath.Join(a.dir, file) }

// issueServing writes the certificate of the API server.
func (a *authority) issueServing(name string) error {
	_, _, err := a.issue(name, &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	return err
}

// issueClient writes a client certificate of a user, and a kubeconfig with it,
// whose path it returns.
func (a *authority) issueClient(url, user string, groups ...string) (string, error) {
	if _, _, err := a.issue(user, &x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}); err != nil {
		return "", err
	}
	config := api.NewConfig()
	config.Clusters["cluster"] = &api.Cluster{Server: url, CertificateAuthority: a.path("ca.crt")}
	config.AuthInfos["user"] = &api.AuthInfo{ClientCertificate: a.path(user + ".crt"), ClientKey: a.path(user + ".key")}
	config.Contexts["context"] = &api.Context{Cluster: "cluster", AuthInfo: "user"}
	config.CurrentContext = "context"
	file := a.path(user + ".kubeconfig")
	return file, clientcmd.WriteToFile(*config, file)
}
