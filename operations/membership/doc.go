// Package membership divides the objects of a resource among the replicas of a program, by
// Leases of coordination.k8s.io/v1 and nothing else.
//
//	leases := clientset.CoordinationV1().Leases("shop")
//	member, err := membership.New(leases, membership.Options{Group: "orders"})
//	informer := cache.New(shard.Source(orders, member.Shard()), cache.Options[*v1.Order]{})
//	reconcile = membership.Only(member, informer.Store().Get, reconcile)
//	err = member.Run(ctx)
//
// The hashes are divided into 64 slots of equal size. Each replica is a member and renews one
// Lease, its life. Each slot is a Lease that is never renewed: it names the member that owns the
// slot. It is written by compare and swap only, so that of two members that write at a time one
// fails. A member does the same again and again:
//
//	LIST ─► view ─► decide: who should own each slot, and what to write ─► writes
//	renew the life                                                           │
//	Owns, Begin ◄── slots that this process has written ◄────────────────────┤
//	Shard.Set   ◄── those, and what it should own ◄──────────────────────────┘
//
// # Rules
//
//  1. A member acts on a slot only if this process has written it, for 9/20 of LeaseDuration after
//     it began to list and then to renew its life. When that time is over, it acts on a slot
//     again only after it has written the slot again.
//  2. It takes a slot that should be its own when the slot was given up, or when it has seen
//     neither the slot nor the life of its owner change for 27/40 of LeaseDuration.
//  3. It gives a slot up that should be another's when no work in it is running.
//  4. A slot that does not exist, or that names the member though this process does not know of having
//     written it, may be another's: it writes "unknown" as the owner, and rule 2 holds. The first member
//     writes it for one that may be dead. After resourceVersions have gone backwards a member knows of no
//     slot, and takes none for 27/40.
//
// # Why no two members act on a hash
//
// Let A act on a slot, and B acquire it. If the slot was given up, A had stopped before. If it did
// not exist, or the list of A was wrong for another reason, A lists it within 9/20 of LeaseDuration
// or stops, and B waits for longer. If B took it from A, then between B's two lists no renewal of A
// has reached the server, so that A has stopped before the second one. For A to act again it has to
// write the slot after that, by compare and swap: either that fails, or B's does.
//
// A process that was stopped, or a machine that was suspended, finds its time over at the next
// call of Owns or Begin. What no lock can prevent is a request that was sent before its process was
// stopped and arrives later: writes with a resourceVersion are refused then, since the next owner has
// written.
//
// # Assumptions
//
// Clocks run at 0.8 to 1.2 of the true speed. The time that they show does not matter, but setting it
// forward interrupts work, since it looks as if the machine had been suspended. A virtual machine that was
// frozen with its clocks can't know that. A LIST shows what was true when it was sent. People may delete
// Leases, and not write them. Members have the same Group, LeaseDuration, By, namespace and Slots.
//
// After etcd was restored from a backup, members see that versions went backwards, and wait. A member that
// has just started, or that sees a version that has moved on since, may act on what others own for 9/16 of
// LeaseDuration after the restore.
package membership
