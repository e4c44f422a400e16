import GarnerCatalog
import Testing

@testable import GarnerFetcher

struct AttemptTimeoutsTests {
    private static let limits = Limits(
        connect: .seconds(10), firstByte: .seconds(30), idle: .seconds(5), total: .seconds(100))

    @Test func `before the head, connecting and the first byte count together`() {
        let deadlines = AttemptTimeouts(limits: Self.limits)
        #expect(deadlines.next == (.firstByte, .seconds(40), .seconds(40)))
    }

    @Test func `behind the head, idle counts from the last arrival`() {
        var deadlines = AttemptTimeouts(limits: Self.limits)
        deadlines.arrived(at: .seconds(7))
        #expect(deadlines.next == (.idle, .seconds(5), .seconds(12)))
        deadlines.arrived(at: .seconds(11))
        #expect(deadlines.next == (.idle, .seconds(5), .seconds(16)))
    }

    @Test func `nothing lasts longer than total`() {
        var deadlines = AttemptTimeouts(
            limits: Limits(connect: .seconds(10), firstByte: .seconds(30), total: .seconds(20)))
        #expect(deadlines.next == (.total, .seconds(20), .seconds(20)))
        deadlines.arrived(at: .seconds(19))
        #expect(deadlines.next == (.total, .seconds(20), .seconds(20)))
    }

    @Test func `a look comes before idle could have passed unseen`() {
        var deadlines = AttemptTimeouts(limits: Self.limits)
        #expect(deadlines.nextLook(at: .zero) == .seconds(5))
        // A head right behind that look would be idle five seconds later.
        #expect(deadlines.nextLook(at: .seconds(5)) == .seconds(10))
        #expect(deadlines.nextLook(at: .seconds(38)) == .seconds(40))
        deadlines.arrived(at: .seconds(39))
        #expect(deadlines.nextLook(at: .seconds(40)) == .seconds(44))
    }
}
