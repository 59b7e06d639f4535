package apiserver

import (
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig returns the content of a file with which other programs, such as kubectl, reach
// the server as its administrator.
func (s *Server) Kubeconfig() ([]byte, error) {
	const name = "test"
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{
		Server:                   s.config.Host,
		TLSServerName:            s.config.ServerName,
		CertificateAuthorityData: s.config.CAData,
	}
	config.AuthInfos[name] = &api.AuthInfo{Token: s.config.BearerToken}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.Write(*config)
}
