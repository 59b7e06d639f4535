// Package protocol decides about a reflector's requests by what the server has sent. It decides which
// request is next and when, what an event or a list means, and what it says about the server. Its types are
// values. It has no goroutines, locks, logs or objects of its own.
//
//	State           the next list, watch-list or watch, after how the last one ended
//	Backoff, Floor  how long to wait before it
//	Delivered       whether an event repeats or contradicts an earlier one
//	Sameness        whether a listed object is the stored one
//	Received        an object, and the version that the server sent if a transform has changed it
//	InitialLimit    how long the initial events of a watch-list may take
//	InitialEvents   the list that the initial events of a watch-list stand for
//	Server          how to compare listed objects, and whether versions tell of a restart
//	Server.Doubt    whether a list proves that objects are gone
//	Silence         what to make of watches on which nothing happens
//	Absence         whether a resource was removed
//	Refusals        whether to go on without a namespace
//	Reread          when to list again for objects that could not be read
//	Notice          how to report the end of a request
//	Explain         what operator action an error needs
package protocol
