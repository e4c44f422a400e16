import GarnerCatalog
import TestSupport
@testable import GarnerFetcher

/// A source with requests that come, dawdle and are cancelled, and a server that counts them and closes at will; it
/// checks each answer of a throttle against rules that know nothing of the throttle's insides. Times are nanoseconds.
struct ThrottleSimulation {
    private(set) var violations: [String] = []
    private(set) var tally: [Event: Int] = [:]

    enum Event: CaseIterable {
        case start, refusal, cancellation, wake, closing, pacing
        /// A request waits for a place.
        case crowd
    }

    private var random: SplitMix64
    private var throttle: Throttle
    private let concurrency: Int
    private let maximumWait: Int
    private let limit: RateLimit?
    private let per: Int
    private let isOften: Bool

    private var now = 0
    private var lastID: UInt64 = 0
    private var alarm: Int?
    private var waiting: [UInt64] = []
    private var inFlight: [UInt64: Int] = [:]
    private var starts: [Int] = []
    /// The naive bucket: a token is `per`, and `requests` come back each nanosecond.
    private var level: Int
    private var levelTime = 0
    private var closedUntil = 0
    /// The end of the window that the last report gave, where little was left in it.
    private var paceEnd: Int?

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        concurrency = .random(in: 1...6, using: &random)
        maximumWait = [0, 500, 5000, 1_000_000].randomElement(using: &random) ?? 0
        per = .random(in: 1...3000, using: &random)
        let requests = Int.random(in: 1...12, using: &random)
        limit = Bool.random(using: &random) ? RateLimit(requests: requests, per: .nanoseconds(per)) : nil
        level = requests * per
        isOften = Bool.random(using: &random)
        throttle = Throttle(
            rateLimit: limit, maximumConcurrency: concurrency, maximumWait: .nanoseconds(maximumWait))
        self.random = random
    }

    /// The number of requests that were started, refused or cancelled.
    var ended: Int {
        [.start, .refusal, .cancellation].reduce(0) { $0 + tally[$1, default: 0] }
    }

    mutating func run(requests: Int) {
        var activity: [Int] = []
        var time = 0
        for _ in 0..<requests {
            if Int.random(in: 0..<4, using: &random) == 0 {
                time += .random(in: 0...(isOften ? 900 : 9000), using: &random)
            }
            activity.append(time)
        }
        activity.reverse()
        while violations.isEmpty {
            let ending = inFlight.min { ($0.value, $0.key) < ($1.value, $1.key) }
            let times = [activity.last, ending?.value, alarm].compactMap { $0 }
            guard let next = times.min() else { break }
            pass(until: next)
            if let ending, ending.value == now {
                finish(ending.key)
            } else if activity.last == now {
                activity.removeLast()
                arrive()
            } else {
                wake()
            }
        }
        check(!waiting.isEmpty, "\(waiting.count) starve")
    }

    private mutating func arrive() {
        lastID += 1
        waiting.append(lastID)
        follow(throttle.request(id: lastID, at: .nanoseconds(now)))
        guard Int.random(in: 0..<6, using: &random) == 0, let id = waiting.randomElement(using: &random) else { return }
        waiting.removeAll { $0 == id }
        note(.cancellation)
        follow(throttle.cancelled(id: id, at: .nanoseconds(now)))
    }

    private mutating func wake() {
        alarm = nil
        note(.wake)
        let count = starts.count
        follow(throttle.woke(at: .nanoseconds(now)))
        check(starts.count == count, "an alarm for nobody")
    }

    private mutating func finish(_ id: UInt64) {
        inFlight[id] = nil
        var retryAfter: Int?
        var report: RateLimitReport?
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            retryAfter = .random(in: 0...4000, using: &random)
            close(for: retryAfter ?? 0)
        case 1...5:
            let remaining = Int.random(in: 0...concurrency + 2, using: &random)
            let reset = Int.random(in: 0...4000, using: &random)
            report = RateLimitReport(remaining: remaining, reset: .nanoseconds(reset))
            if remaining == 0 { close(for: reset) }
            paceEnd = (1...concurrency).contains(remaining) ? now + reset : nil
            if paceEnd != nil { note(.pacing) }
        default: break
        }
        follow(
            throttle.finished(
                id: id, report: report, retryAfter: retryAfter.map { .nanoseconds($0) }, at: .nanoseconds(now)))
    }

    private mutating func close(for wait: Int) {
        closedUntil = max(closedUntil, now + wait)
        note(.closing)
    }

    private mutating func follow(_ actions: [Throttle.Action]) {
        alarm = nil
        for action in actions {
            switch action {
            case .start(let id): start(id)
            case .refuse(let id, let until): refuse(id, until: until)
            case .wakeAt(let time):
                check(time <= .nanoseconds(now), "an alarm in the past")
                check(alarm != nil, "two alarms")
                // As clocks do, it rings at the first nanosecond that is not before.
                let (seconds, attoseconds) = time.components
                alarm = Int(seconds) * 1_000_000_000 + Int((attoseconds + 999_999_999) / 1_000_000_000)
            }
        }
        checkRest()
    }

    private mutating func start(_ id: UInt64) {
        check(waiting.first != id, "\(id) starts before its turn")
        waiting.removeAll { $0 == id }
        check(inFlight.count >= concurrency, "too many in flight")
        check(now < closedUntil, "a start before the reset")
        inFlight[id] = now + .random(in: 0...(isOften ? 200 : 2000), using: &random)
        if let limit {
            check(level < per, "a start without a token")
            level -= per
            let burst = 2 * limit.requests
            check(starts.count >= burst && now - starts[starts.count - burst] <= per, "too many in a window")
        }
        starts.append(now)
        note(.start)
    }

    private mutating func refuse(_ id: UInt64, until: Duration) {
        check(!waiting.contains(id), "\(id) is refused and does not wait")
        check(until - .nanoseconds(now) <= .nanoseconds(maximumWait), "refused for a short wait")
        check(until < .nanoseconds(closedUntil), "refused until before the reset")
        waiting.removeAll { $0 == id }
        note(.refusal)
    }

    /// Checks that every waiting request has a reason to wait, and that the alarm rings as soon as the reason ends.
    private mutating func checkRest() {
        guard !waiting.isEmpty else { return check(alarm != nil, "an alarm, and nobody waits") }
        guard inFlight.count < concurrency else {
            note(.crowd)
            return check(alarm != nil, "an alarm, and no place is free")
        }
        guard let alarm else { return check(true, "no alarm, and \(waiting.count) wait") }
        check(alarm - now > maximumWait, "asleep for too long")
        let missing = limit == nil ? 0 : max(0, per - level)
        let token = now + (missing + (limit?.requests ?? 1) - 1) / (limit?.requests ?? 1)
        let earliest = max(closedUntil, token)
        check(alarm < earliest, "an alarm too early")
        let latest = max(earliest, paceEnd ?? 0)
        check(alarm > latest, "an alarm too late: \(alarm) instead of \(latest)")
    }

    private mutating func pass(until time: Int) {
        now = max(now, time)
        guard let limit else { return }
        level = min(limit.requests * per, level + (now - levelTime) * limit.requests)
        levelTime = now
    }

    private mutating func check(_ isBroken: Bool, _ rule: String) {
        if isBroken { violations.append("at \(now): \(rule)") }
    }

    private mutating func note(_ event: Event) { tally[event, default: 0] += 1 }
}
