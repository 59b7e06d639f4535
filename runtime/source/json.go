package source

import (
	stdjson "encoding/json"

	clientgo "k8s.io/client-go/tools/cache"
)

// nameInJSON finds the name of an object that could not be decoded.
func nameInJSON(data []byte) string {
	var object struct {
		Metadata struct {
			Namespace, Name any
		} `json:"metadata"`
	}
	// encoding/json goes on after a value of the wrong type.
	_ = stdjson.Unmarshal(data, &object)
	namespace, _ := object.Metadata.Namespace.(string)
	name, _ := object.Metadata.Name.(string)
	return clientgo.NewObjectName(namespace, name).String()
}
