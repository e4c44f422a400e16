/// The shards, and what the other services hold of them that live and have the same configuration.
package struct ShardCompany: Sendable {
    package let layout: ShardLayout
    /// The number of shards that each of the others holds.
    package let others: [Int]
    /// The name of a service that has read another configuration later than this one; nil if there is none.
    package var later: String?
}

/// Decides which shards a worker claims, and when it gives one back: each of W services has its share of the S shards that have work, ⌈S / W⌉.
package struct ShardShare: Sendable {
    /// The shortest time between two shards that are given back.
    package static let pause: Duration = .seconds(10)

    /// The time for which a worker keeps what it took beyond its share. Whoever did not claim it may not be able to serve it.
    package static let keeping: Duration = .seconds(600)

    private let lease: Duration
    /// The time at which each free shard was first seen free.
    private var freeSince: [Int: Duration] = [:]
    private var lastGiven: Duration?
    private var lastTakenBeyond: Duration?

    package init(lease: Duration) { self.lease = lease }

    /// Returns the shards that may be claimed now, and whether one of its own is to be given back.
    ///
    /// What nobody has claimed for two leases is for everybody: better too much than nobody.
    ///
    /// - Parameters:
    ///   - wanted: The shards that have work.
    ///   - own: Those that this worker holds.
    package mutating func decide(
        _ company: ShardCompany, wanted: Set<Int>, own: Set<Int>, at now: Duration
    ) -> (claims: [Int], givesBack: Bool) {
        let held = Set(company.layout.shards.lazy.filter { $0.holder != nil }.map(\.number))
        let free = wanted.subtracting(held).subtracting(own)
        freeSince = freeSince.filter { free.contains($0.key) }
        for shard in free where freeSince[shard] == nil { freeSince[shard] = now }
        let workers = company.others.count + 1
        let share = (wanted.count + workers - 1) / workers
        let claims = own.count < share ? free : free.filter { now - (freeSince[$0] ?? now) > lease * 2 }
        if own.count >= share, !claims.isEmpty { lastTakenBeyond = now }
        let isDue =
            lastGiven.map { now - $0 >= Self.pause } ?? true && lastTakenBeyond.map { now - $0 >= Self.keeping } ?? true
        return (claims.sorted(), isDue && own.count > share && company.others.contains { $0 < share })
    }

    /// Notes that a shard is given back.
    package mutating func gave(at now: Duration) { lastGiven = now }
}
