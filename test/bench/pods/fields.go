package pods

import (
	"bytes"
	"encoding/json"
	"sync"

	v1 "k8s.io/api/core/v1"
)

// specFields returns, as FieldsV1, the fields that the manager that creates a pod sets.
func specFields(pod *v1.Pod) []byte {
	return fieldsOf(map[string]any{
		"metadata": map[string]any{
			"annotations":     pod.Annotations,
			"generateName":    pod.GenerateName,
			"labels":          pod.Labels,
			"ownerReferences": pod.OwnerReferences,
		},
		"spec": pod.Spec,
	})
}

// statusFields returns the fields that the kubelet sets.
func statusFields(status v1.PodStatus) []byte {
	status.QOSClass = ""                                             // is set on creation
	status.Conditions = status.Conditions[:len(status.Conditions)-1] // is the scheduler's
	return fieldsOf(map[string]any{"status": status})
}

// Fields take far longer to compute than all the rest, and most of them are the same in
// many pods.
var (
	// specs has specFields by number of the deployment.
	specs sync.Map
	// status is statusFields of a pod that has the address anyIP.
	status struct {
		once   sync.Once
		fields []byte
	}
)

const anyIP = "0.0.0.0"

// specFieldsOf returns specFields of a pod of a deployment.
func specFieldsOf(deployment int, pod *v1.Pod) []byte {
	fields, ok := specs.Load(deployment)
	if !ok {
		fields, _ = specs.LoadOrStore(deployment, specFields(pod))
	}
	return fields.([]byte)
}

// statusFieldsOf returns statusFields of a pod of any deployment.
func statusFieldsOf(s v1.PodStatus) []byte {
	ip := s.PodIPs[0].IP
	status.once.Do(func() {
		s.PodIPs = []v1.PodIP{{IP: anyIP}}
		status.fields = statusFields(s)
	})
	return bytes.Replace(status.fields, []byte(anyIP), []byte(ip), 1)
}

// merged are the lists that are merged by a key, with the names of its fields. All
// others are one field.
var merged = map[string][]string{
	"conditions":      {"type"},
	"containers":      {"name"},
	"env":             {"name"},
	"ownerReferences": {"uid"},
	"podIPs":          {"ip"},
	"ports":           {"containerPort", "protocol"},
	"volumeMounts":    {"mountPath"},
	"volumes":         {"name"},
}

// whole are fields that have fields of their own and are set as one all the same.
var whole = map[string]bool{"matchLabels": true, "nodeSelector": true}

// fieldsOf returns all fields of a part of an object as FieldsV1.
func fieldsOf(part map[string]any) []byte {
	text, err := json.Marshal(part)
	if err != nil {
		panic(err) // of data without functions or channels
	}
	var value map[string]any
	if err := json.Unmarshal(text, &value); err != nil {
		panic(err)
	}
	fields := map[string]any{}
	for name, v := range value {
		top := map[string]any{}
		for inner, v := range v.(map[string]any) {
			top["f:"+inner] = fieldsUnder(inner, v)
		}
		fields["f:"+name] = top
	}
	if text, err = json.Marshal(fields); err != nil {
		panic(err)
	}
	return text
}

// fieldsUnder returns the fields of a value. A dot stands for the value itself, which
// its manager has created, and not for lists that are never empty.
func fieldsUnder(name string, value any) map[string]any {
	fields := map[string]any{}
	switch v := value.(type) {
	case map[string]any:
		for inner, v := range v {
			if !whole[name] {
				fields["f:"+inner] = fieldsUnder(inner, v)
			}
		}
	case []any:
		for _, item := range v {
			if names := merged[name]; names != nil {
				item := item.(map[string]any)
				key := map[string]any{}
				for _, n := range names {
					key[n] = item[n]
				}
				text, err := json.Marshal(key)
				if err != nil {
					panic(err)
				}
				of := map[string]any{}
				if name != "ownerReferences" {
					of = fieldsUnder("", item)
				}
				fields["k:"+string(text)] = of
			}
		}
	}
	if len(fields) > 0 && name != "containers" && name != "conditions" {
		fields["."] = struct{}{}
	}
	return fields
}
