// Package membership divides the objects of a resource among the replicas of a program, by
// Leases of coordination.k8s.io/v1 and nothing else.
//
//	leases := clientset.CoordinationV1().Leases("shop")
//	member, err := membership.New(leases, membership.Options{Group: "orders"})
//	informer := cache.New(orders, cache.Options[*v1.Order]{Shard: member.Shard()})
//	reconcile = membership.Only(member, informer.Store().Get, reconcile)
//	err = member.Run(ctx)
//
// Each replica is a member: it has a Lease, which it renews. One more Lease, which has the
// name of the group, says in an annotation which ranges of hashes each member owns. It is
// written with its resourceVersion only, so that of two members that write at the same time
// one fails and reads again.
//
//	Leases ─► view ─► plan: which ranges each member should own ─► assess: what this member
//	one LIST           the same for all members                     may act on, follows, hands over
//	                                                                   │
//	Owns, Begin ◄── ranges, until the Lease is too old ◄───────────────┤
//	Shard.Set   ◄── owned and to be gained ◄───────────────────────────┤
//	Leases      ◄── expire a dead member, hand over, assign ◄──────────┘
//
// # Guarantees
//
//   - No hash is owned by two members at the same time, as Owns and Begin tell. It depends
//     on clocks whose speeds differ from the true one by at most 20 %, and not on what time
//     they show.
//   - A member hands a range over when no work in it is running. Until then nobody else owns
//     the range; see Options.DrainTimeout for work that does not end.
//   - The ranges of a member that has died have another owner after LeaseDuration plus two
//     seconds, if the API server answers. A member that can't renew its Lease stops after
//     half of the duration, by its own clock, counted from before the request that renewed it.
//     Other members wait four fifths of it after they have seen the Lease change last, by
//     their own clocks. Then they mark the Lease as expired, which fails if it was renewed
//     meanwhile.
//   - One member more moves at most 1/(n+1) of the parts of the hashes, one less only those
//     that it owned. Members own equally many parts, give or take one.
//
// A process that was stopped, or a machine that was suspended, finds its Lease too old at the
// next call of Owns or Begin. They compare with the monotonic clock, the wall clock and on
// Linux the boot clock, and the one that has advanced furthest counts: the monotonic clock
// stands still while a machine is suspended. A virtual machine all of whose clocks were stopped
// can't know. What no lock can prevent is a request that was sent before its process was
// stopped and arrives later: writes with a resourceVersion are refused then, since the next
// owner has written.
package membership
