package failure

var advice = [...]string{
	ClassOther:           "The informer retries. If it goes on, look at what answers the requests: the API server, or a proxy in front of it.",
	ClassForbidden:       "Grant the verbs list and watch on the resource to the account that the message names (Role or ClusterRole, and its binding). If the server answers Unauthorized, renew the credentials.",
	ClassNotFound:        "Install the CRD or the API server of the resource, in the version that the program asks for. The informer starts by itself when it is there.",
	ClassExpired:         "Nothing to do: the informer lists again. If it happens often, the watch is too slow, or was disconnected for minutes.",
	ClassTooLarge:        "Nothing to do: the informer lists the latest state. The server may have been restored, or another server answers that is behind.",
	ClassTooManyRequests: "Nothing to do: the informer waits as long as the server asks. If it goes on, see which flow schema of API priority and fairness applies to the program.",
	ClassServerError:     "The informer retries. If it goes on, look at the health of the API server and of etcd, or of a proxy in front of them.",
	ClassConnection:      "The informer tries again: a watch continues from its last resourceVersion, a list begins again. If it goes on, check the address of the server, name resolution, network policies and certificates.",
	ClassDecode:          "The response is not one of the resource as the program knows it. Compare the Go type with the CRD's schema, and see whether a proxy or a login page answers.",
	ClassSilent:          "The informer repeats the request. If it happens often, a proxy may buffer responses or drop idle connections.",

	ClassSelectionChanged: "Nothing to do: the informer lists the objects that its source selects now, such as those of a shard with other ranges.",
}

// Advice says in one or two sentences what to do about errors of the class. docs/troubleshooting.md says
// more.
func (c Class) Advice() string {
	if int(c) >= len(advice) {
		return advice[ClassOther]
	}
	return advice[c]
}
