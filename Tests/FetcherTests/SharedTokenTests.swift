import GarnerCatalog
import TestSupport
import Testing

@testable import GarnerFetcher

struct SharedTokenTests {
    private static func token(_ serial: UInt64, until seconds: Int = 100) -> AccessToken {
        AccessToken(headers: [.authorization("Bearer t\(serial)")], serial: serial, usableUntil: .seconds(seconds))
    }

    /// A desk whose token has this serial.
    private static func desk(with serial: UInt64, until seconds: Int = 100) -> SharedToken {
        var desk = SharedToken()
        _ = desk.asked(by: 0, at: .zero)
        _ = desk.fetched(token(serial, until: seconds))
        return desk
    }

    @Test func `concurrent requests for a token share one fetch`() {
        var desk = SharedToken()
        #expect(desk.asked(by: 1, at: .zero) == [.fetch(for: 1)])
        #expect(desk.asked(by: 2, at: .zero) == [])
        #expect(desk.asked(by: 3, at: .zero) == [])
        #expect(desk.fetched(Self.token(1)) == [.give(Self.token(1), to: [1, 2, 3])])
        #expect(desk.asked(by: 4, at: .zero) == [.give(Self.token(1), to: [4])])
    }

    @Test(arguments: [(99, false), (100, true), (101, true)])
    func `a token is given until its time is over`(second: Int, isFetched: Bool) {
        var desk = Self.desk(with: 1)
        let actions = desk.asked(by: 1, at: .seconds(second))
        #expect(actions == (isFetched ? [.fetch(for: 1)] : [.give(Self.token(1), to: [1])]))
    }

    @Test func `a refused token goes, and only that one`() {
        var desk = Self.desk(with: 1)
        #expect(desk.asked(by: 1, insteadOf: 1, at: .zero) == [.fetch(for: 1)])
        #expect(desk.asked(by: 2, insteadOf: 1, at: .zero) == [])
        #expect(desk.fetched(Self.token(2)) == [.give(Self.token(2), to: [1, 2])])
        // Sent before the second token came, and refused after it.
        #expect(desk.asked(by: 3, insteadOf: 1, at: .zero) == [.give(Self.token(2), to: [3])])
    }

    @Test func `after a refused login nobody asks again until the rest is over`() {
        var desk = SharedToken(rest: .seconds(300))
        _ = desk.asked(by: 1, at: .zero)
        #expect(desk.asked(by: 2, at: .zero) == [])
        #expect(desk.failed(.refused, at: .seconds(10)) == [.refuse([1, 2])])
        #expect(desk.asked(by: 3, at: .seconds(309)) == [.refuse([3])])
        #expect(desk.asked(by: 4, at: .seconds(310)) == [.fetch(for: 4)])
    }

    @Test func `a token that nobody has accepted yet is not replaced until the rest is over`() {
        var desk = SharedToken(rest: .seconds(300))
        _ = desk.asked(by: 1, at: .zero)
        _ = desk.fetched(Self.token(1, until: 1000), at: .zero)
        #expect(desk.asked(by: 2, insteadOf: 1, at: .seconds(299)) == [.deny(2)])
        // Others may have more luck with it.
        #expect(desk.asked(by: 3, at: .seconds(299)) == [.give(Self.token(1, until: 1000), to: [3])])
        desk.accepted(1)
        #expect(desk.asked(by: 4, insteadOf: 1, at: .seconds(299)) == [.fetch(for: 4)])
        _ = desk.fetched(Self.token(2, until: 1000), at: .seconds(299))
        desk.accepted(1)
        #expect(desk.asked(by: 5, insteadOf: 2, at: .seconds(598)) == [.deny(5)])
        #expect(desk.asked(by: 6, insteadOf: 2, at: .seconds(599)) == [.fetch(for: 6)])
    }

    @Test func `a waiter that leaves does not affect the other waiters`() {
        var desk = SharedToken()
        _ = desk.asked(by: 1, at: .zero)
        _ = desk.asked(by: 2, at: .zero)
        #expect(desk.left(1) == [])
        #expect(desk.left(1) == [])
        #expect(desk.fetched(Self.token(1)) == [.give(Self.token(1), to: [2])])
        #expect(desk.left(2) == [])
    }

    @Test func `the last waiter that leaves cancels the fetch, and a token that still arrives is kept`() {
        var desk = SharedToken()
        _ = desk.asked(by: 1, at: .zero)
        #expect(desk.left(1) == [.callOff])
        #expect(desk.fetched(Self.token(1)) == [.give(Self.token(1), to: [])])
        #expect(desk.asked(by: 2, at: .zero) == [.give(Self.token(1), to: [2])])
    }

    @Test func `a waiter that arrives after the cancellation gets a token from a new fetch`() {
        var desk = SharedToken()
        _ = desk.asked(by: 1, at: .zero)
        _ = desk.left(1)
        #expect(desk.asked(by: 2, at: .zero) == [])
        #expect(desk.failed(.endedEarly) == [.fetch(for: 2)])
        // Not called off this time, so that it would end early for ever.
        #expect(desk.failed(.endedEarly) == [.refuse([2])])
    }

    @Test func `a failed fetch fails all its waiters, and the next request fetches again`() {
        var desk = Self.desk(with: 1)
        _ = desk.asked(by: 1, insteadOf: 1, at: .zero)
        _ = desk.asked(by: 2, at: .zero)
        #expect(desk.failed(.other) == [.refuse([1, 2])])
        #expect(desk.asked(by: 3, at: .zero) == [.fetch(for: 3)])
    }

    @Test(arguments: 0..<200)
    func `whatever happens, nobody is forgotten, answered twice, or fetched for beside another`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var desk = SharedToken()
        var (waiting, isFetching, wasCalledOff) = (Set<UInt64>(), false, false)
        var (id, serial): (UInt64, UInt64) = (0, 0)
        for second in 0..<500 {
            var actions: [SharedToken.Action] = []
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2:
                id += 1
                waiting.insert(id)
                let refused = Bool.random(using: &random) ? serial : nil
                actions = desk.asked(by: id, insteadOf: refused, at: .seconds(second))
            case 3:
                guard let leaver = waiting.randomElement(using: &random) else { continue }
                waiting.remove(leaver)
                actions = desk.left(leaver)
            case 4 where isFetching:
                (isFetching, wasCalledOff) = (false, false)
                serial += 1
                actions = desk.fetched(Self.token(serial, until: second + Int.random(in: 0..<20, using: &random)))
                #expect(actions.recipients == waiting)
            case 5 where isFetching:
                let endedEarly = wasCalledOff && Bool.random(using: &random)
                (isFetching, wasCalledOff) = (false, false)
                actions = desk.failed(endedEarly ? .endedEarly : .other)
                if !endedEarly { #expect(actions.recipients == waiting) }
            default: continue
            }
            for action in actions {
                switch action {
                case .fetch(let id):
                    #expect(!isFetching && waiting.contains(id))
                    isFetching = true
                case .callOff:
                    #expect(isFetching && waiting.isEmpty)
                    wasCalledOff = true
                case .give, .refuse, .deny: break
                }
            }
            #expect(actions.recipients.isSubset(of: waiting))
            waiting.subtract(actions.recipients)
            #expect(waiting.isEmpty || isFetching)
        }
    }
}

extension [SharedToken.Action] {
    fileprivate var recipients: Set<UInt64> {
        reduce(into: []) { ids, action in
            switch action {
            case .give(_, let new), .refuse(let new): ids.formUnion(new)
            case .deny(let id): ids.insert(id)
            case .fetch, .callOff: break
            }
        }
    }
}
