package apiserver

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// InstallLeases serves the Leases of coordination.k8s.io/v1 as custom resources, which are
// otherwise what they are in a cluster: the server has no built-in resources.
func (s *Server) InstallLeases(ctx context.Context) error {
	preserve := true
	return s.CreateCRDs(ctx, &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{
			Name:        "leases." + coordinationv1.GroupName,
			Annotations: map[string]string{"api-approved.kubernetes.io": "unapproved, for tests"},
		},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: coordinationv1.GroupName,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "leases", Singular: "lease", Kind: "Lease", ListKind: "LeaseList"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", XPreserveUnknownFields: &preserve,
				}},
			}},
		},
	})
}
