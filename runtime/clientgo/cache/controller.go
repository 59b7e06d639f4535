package cache

import "context"

// idleController is the Controller that GetController returns. It reports on an informer, and does not run
// it.
type idleController struct{ SharedInformer }

func (c idleController) RunWithContext(context.Context) {}

func (c idleController) Run(<-chan struct{}) {}
