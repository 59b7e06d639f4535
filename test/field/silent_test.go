package field_test

import "time"

// silentRows are about connections that are open and carry nothing.
var silentRows = []row{
	{
		name: "connections become half-open, of a server with a bookmark a second", bookmarks: time.Second,
		during:   func(w *world) { w.network.drop(); w.pass(10 * time.Minute) },
		core:     bounds{late: 30 * time.Second, requests: 20, right: 2 * time.Second},
		clientGo: bounds{never: true},
	},
	{
		name: "connections become half-open, of a server with a bookmark a second, in HTTP/2", http2: true, bookmarks: time.Second,
		during:   func(w *world) { w.network.drop(); w.pass(10 * time.Minute) },
		core:     bounds{late: 60 * time.Second, requests: 20, right: 2 * time.Second},
		clientGo: bounds{late: 60 * time.Second},
	},
	{
		name:     "connections become half-open, of a server with a bookmark a minute",
		during:   func(w *world) { w.network.drop(); w.pass(10 * time.Minute) },
		core:     bounds{late: 5 * time.Minute, requests: 20, right: 2 * time.Second},
		clientGo: bounds{never: true},
	},
	{
		name: "a load balancer drops connections that are idle for 50 s, and says nothing", quiet: true,
		during:   func(w *world) { w.while(func() { w.rarely(time.Hour) }, time.Second, w.dropIdle(50*time.Second)) },
		core:     bounds{late: 5 * time.Minute, requests: 60, right: 5 * time.Minute},
		clientGo: bounds{never: true},
	},
	{
		name: "a load balancer drops connections that are idle for 50 s, and says nothing, in HTTP/2", http2: true, quiet: true,
		during:   func(w *world) { w.while(func() { w.rarely(time.Hour) }, time.Second, w.dropIdle(50*time.Second)) },
		core:     bounds{late: 10 * time.Second, requests: 60, right: 10 * time.Second},
		clientGo: bounds{late: 10 * time.Second},
	},
}

// rarely changes an object every five minutes.
func (w *world) rarely(lasts time.Duration) { w.every(5*time.Minute, lasts, w.beat) }

// dropIdle makes connections half-open through which nothing has passed.
func (w *world) dropIdle(after time.Duration) func() {
	return func() {
		for _, l := range w.network.open() {
			if l.idle() > after {
				l.dropping.Store(true)
			}
		}
	}
}
