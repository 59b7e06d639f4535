package cache

import "context"

// idleController is returned by GetController: it reports on an informer, and does
// not run it.
type idleController struct{ SharedInformer }

func (c idleController) RunWithContext(context.Context) {}

func (c idleController) Run(<-chan struct{}) {}
