// Package statuspage serves a page that shows what the informers of a factory are doing and why, whether
// their handlers and controllers keep up, and what to do about failures.
//
//	factory.Status, controller.Status ──► Page ──► HTML, or JSON
//	                       every 5 s  ──► the latest 120 samples, for the pictures
//
// A page is an http.Handler:
//
//	page := statuspage.New(factory, statuspage.Options{})
//	go page.Run(ctx) // samples for the pictures
//	mux.Handle("/debug/informers", page)
//
// # Guarantees
//
//   - No request changes anything. GET and HEAD are answered; any other method gets 405.
//   - Contents of objects are shown only with Options.Contents. Contents of Secrets are never shown.
//   - The page loads nothing from elsewhere and has no script. It sets a Content-Security-Policy that
//     allows nothing but its own style.
//   - Whatever names and errors contain is shown as text.
//   - A request waits neither for handlers nor for reconciles.
//   - The memory is bounded: 120 samples of a few numbers for each informer and handler, and only the first
//     thousand of these are sampled.
//
// The page shows names of resources, handlers and namespaces, addresses and accounts in
// errors, and whether an object exists. Serve it where only operators reach it.
package statuspage
