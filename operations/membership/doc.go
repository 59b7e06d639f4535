// Package membership divides the objects of a resource among the replicas of a program. It uses Leases of
// coordination.k8s.io/v1 and nothing else.
//
//	leases := clientset.CoordinationV1().Leases("shop")
//	member, err := membership.New(leases, membership.Options{Group: "orders"})
//	informer := cache.New(shard.Source(orders, member.Shard()), cache.Options[*v1.Order]{})
//	reconcile = membership.Only(member, informer.Store().Get, reconcile)
//	err = member.Run(ctx)
//
// The hashes are divided into 64 slots of equal size. Each replica is a member and renews one Lease, its
// life. Each slot is a Lease that is never renewed: it names the member that owns the slot. It is written
// by compare and swap only: if two members write it at the same time, one of them fails. A member repeats
// these steps:
//
//	LIST ─► view ─► decide: who should own each slot, and what to write ─► writes
//	renew the life                                                           │
//	Owns, Begin ◄── slots that this process has written ◄────────────────────┤
//	Shard.Set   ◄── those, and what it should own ◄──────────────────────────┘
//
// # Rules
//
//  1. A member acts on a slot only if this process has written it, and only for 9/20 of LeaseDuration after it
//     began to list and then to renew its life. After that time, it must write the slot again before it acts on
//     it again.
//  2. A member takes a slot that should be its own when the slot was given up. It also takes it when it has seen
//     neither the slot nor the life of its owner change for 27/40 of LeaseDuration.
//  3. A member gives up a slot that should be another member's when no work in it is running.
//  4. Another member may own a slot without a Lease, and a slot that names this member although this process does
//     not know of having written it. The member writes "unknown" as the owner, and rule 2 holds. If the member
//     that should own a slot without a Lease may be dead, the first member writes "unknown" for it. After
//     resourceVersions have gone backwards, a member knows of no slot, and takes none for 27/40 of LeaseDuration.
//
// # Why no two members act on a hash
//
// Let A act on a slot, and B acquire it. If the slot was given up, A had stopped before. If it did not exist, or
// A's list was wrong for another reason, A lists it within 9/20 of LeaseDuration or stops, and B waits longer than
// that. If B took it from A, no renewal of A reached the server between two lists of B, so A had stopped before the
// second one. To act again, A must write the slot after that, by compare and swap: either A's write fails, or B's.
//
// A process that was stopped, or a machine that was suspended, finds its time over at the next call of Owns or
// Begin. No lock can prevent that a request arrives late which was sent before its process was stopped. Writes with
// a resourceVersion are refused then, since the next owner has written.
//
// # Assumptions
//
// Clocks run at 0.8 to 1.2 of the true speed. The time of day that they show does not matter, but setting it forward
// interrupts work, since it looks as if the machine had been suspended. A virtual machine that was frozen together
// with its clocks can't notice that. A LIST shows the state at the time when it was sent, or later. People may
// delete Leases, but must not write them. Members have the same Group, LeaseDuration, By, namespace and Slots.
//
// After etcd was restored from a backup, members see that versions went backwards, and wait. A member that has just
// started, or that already sees a higher version again, may act on slots of other members for 9/16 of LeaseDuration
// after the restore.
package membership
