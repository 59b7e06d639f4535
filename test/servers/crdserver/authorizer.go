package crdserver

import (
	"context"
	"slices"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Reader is a user whose groups are the names of the objects that it may read, as a Role with resourceNames
// permits. It may also list and watch with the field selector metadata.name. The administrator may do
// everything, and can impersonate it.
const Reader = "reader"

func authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	groups := a.GetUser().GetGroups()
	named := a.GetUser().GetName() == Reader && a.IsReadOnly() && a.GetName() != "" && slices.Contains(groups, a.GetName())
	if named || slices.Contains(groups, user.SystemPrivilegedGroup) {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}
