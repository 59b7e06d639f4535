package informers

func forResource(resource any) {
	switch resource {
	// Group=core, Version=v1
	case corev1.SchemeGroupVersion.WithResource("pods"):
	// Group=shop.example.com, Version=v1
	case v1.SchemeGroupVersion.WithResource("orders"):
	// Group=shop.example.com, Version=v1beta1
	case v1beta1.SchemeGroupVersion.WithResource("orders"):
	}
}
