import GarnerCatalog
import GarnerModel
import GarnerSync
import TestSupport
import Testing

/// Lists that change while links are followed that name no number. Only the total of each page tells of it.
@Suite(.timeLimit(.minutes(5)))
struct ShrinkingListTests {
    /// What happens to the list 1…6 when its first page of two was answered.
    enum Change: String, CaseIterable, Sendable {
        case nothing, readRecordGoes, unreadRecordGoes, oneComesAtTheEnd, oneComesInFront

        func apply(to ids: inout [Int]) {
            switch self {
            case .nothing: break
            case .readRecordGoes: ids.removeFirst()
            case .unreadRecordGoes: ids.removeLast()
            case .oneComesAtTheEnd: ids.append(7)
            case .oneComesInFront: ids.insert(0, at: 0)
            }
        }
    }

    /// Runs `body` with a server whose list changes once, when its first page was answered.
    ///
    /// - Parameter isByKey: True if the links mark the last record of a page, and not a number of records.
    private static func run(
        _ change: Change, isByKey: Bool,
        _ body: @escaping @Sendable (Watched<[Int]>, SyncRig) async throws -> Void
    ) async throws {
        let (list, hasChanged) = (Watched(Array(1...6)), Watched(false))
        let marks = ["ab", "cd", "ef", "gh", "ij", "kl", "mn", "op"]
        try await SyncRig.run({ request in
            let mark = marks.firstIndex { request.target.contains("mark=\($0)") }
            let ids = list.value
            let isFromSix = request.target.contains("since=6")
            let rest =
                isFromSix || isByKey
                ? ids.filter { $0 > mark ?? (isFromSix ? 5 : -1) } : Array(ids.dropFirst(mark ?? 0))
            let page = Array(rest.prefix(2))
            let next = isByKey ? page.last ?? 0 : (mark ?? 0) + 2
            let link = rest.count > 2 ? #""/animals?mark=\#(marks[next])""# : "null"
            let rows = page.map { #"{"id":\#($0),"seq":\#($0)}"# }.joined(separator: ",")
            if mark == nil, !isFromSix, !hasChanged.value {
                hasChanged.value = true
                list.change { change.apply(to: &$0) }
            }
            return .json(#"{"data":[\#(rows)],"next":\#(link),"total":\#(isFromSix ? rest.count : ids.count)}"#)
        }) { rig in try await body(list, rig) }
    }

    @Test(arguments: Change.allCases, [false, true])
    func `a first read that may lack a record is never complete`(change: Change, isByKey: Bool) async throws {
        for deletes in [false, true] {
            try await Self.run(change, isByKey: isByKey) { list, rig in
                let stream = rig.stream { if deletes { $0.deleteMissing = .hard } }
                let outcome = try await rig.sync(stream)
                let stored = try Set(rig.integers("SELECT id FROM animals"))
                let steady = Set(list.value.map(Int64.init)).intersection(Array(1...6))
                let isComplete = outcome.record?.completeness == .complete
                #expect(!isComplete || stored.isSuperset(of: steady))
                // A list that grew at its end has all of its records, and behind a key nothing moves.
                let mayLack: [Change] = isByKey ? [.unreadRecordGoes] : [.readRecordGoes, .unreadRecordGoes]
                let isKnown = !mayLack.contains(change) && !(isByKey && change == .oneComesInFront)
                #expect(isComplete == isKnown)
                if mayLack.contains(change) { #expect(outcome.record?.verdict == .totalChanged) }
                #expect(try await rig.sync(stream).record?.completeness == .complete)
            }
        }
    }

    @Test func `a cursor does not pass a record that may have moved`() async throws {
        try await Self.run(.readRecordGoes, isByKey: false) { _, rig in
            let stream = rig.stream {
                $0.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
                $0.incremental = Incremental(cursorField: "seq", initialValue: "1")
            }
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.verdict == .totalChanged)
            #expect(try await rig.sync(stream).record?.completeness == .complete)
            #expect(try rig.integers("SELECT id FROM animals ORDER BY id") == Array(1...6))
        }
    }
}
