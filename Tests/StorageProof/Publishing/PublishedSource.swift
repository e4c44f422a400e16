import Synchronization
import TestSupport

/// A source whose records come, change and go, and whose values stop fitting their columns.
final class PublishedSource: Sendable {
    enum Stream: String, CaseIterable, Sendable {
        /// Has a key and tables of arrays; what is missing is deleted.
        case animals
        /// Has a key of two parts; what is missing is marked, and columns get wider types.
        case keepers
        /// Is appended, without a key.
        case sightings
        /// Is replaced, with a key.
        case prices
        /// Is replaced, without a key.
        case logs
        /// Each record is there once.
        case notes
    }

    /// The values of a record, as JSON.
    fileprivate typealias Record = [String: String]

    fileprivate struct State {
        var dice: RecordDice
        var records: [Stream: [Record]] = [:]
        /// Every so many requests fail; 0: none does.
        var failsEvery = 0
    }

    private let state: Mutex<State>
    private static let recordsPerPage = 15

    init(seed: UInt64) {
        state = Mutex(State(dice: RecordDice(random: SplitMix64(seed: seed))))
        state.withLock { state in
            for stream in Stream.allCases { state.insert(stream == .animals ? 40 : 12, into: stream) }
        }
    }

    /// Every so many requests fail; 0: none does.
    func failEvery(_ requests: Int) { state.withLock { $0.failsEvery = requests } }

    /// Changes some records of some streams.
    func change() {
        state.withLock { state in
            if state.dice.chance(6) { state.dice.era += 1 }
            for stream in Stream.allCases where !state.dice.chance(4) { state.change(stream) }
        }
    }

    func reply(to request: LoopbackRequest) -> LoopbackReply {
        let name = request.target.dropFirst().prefix { $0 != "?" }
        guard let stream = Stream(rawValue: String(name)) else { return .status(404) }
        let (records, fails) = state.withLock { state in
            (state.records[stream] ?? [], state.failsEvery > 0 && request.number % state.failsEvery == 0)
        }
        guard !fails else { return request.number % 2 == 0 ? .status(500) : LoopbackReply(.reset) }
        let first = min((request.page - 1) * Self.recordsPerPage, records.count)
        let end = min(first + Self.recordsPerPage, records.count)
        let page = records[first..<end].map { record in
            "{\(record.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
        }
        let next = end < records.count ? #""?page=\#(request.page + 1)""# : "null"
        return .json(#"{"data":[\#(page.joined(separator: ","))],"total":\#(records.count),"next":\#(next)}"#)
    }
}

extension PublishedSource.State {
    mutating func insert(_ count: Int, into stream: PublishedSource.Stream) {
        for _ in 0..<count { records[stream, default: []].append(dice.record(of: stream)) }
    }

    mutating func change(_ stream: PublishedSource.Stream) {
        var present = records[stream] ?? []
        // A record that is appended comes once.
        if stream == .sightings { present = [] }
        for _ in 0..<dice.number(0...2) where !present.isEmpty {
            present.remove(at: dice.number(0...present.count - 1))
        }
        for _ in 0..<dice.number(0...5) where !present.isEmpty {
            let place = dice.number(0...present.count - 1)
            let new = dice.record(of: stream)
            // Its key stays.
            let keys: Set<String> = stream == .keepers ? ["section", "no"] : ["id"]
            for (name, value) in new where !keys.contains(name) && dice.chance(2) { present[place][name] = value }
        }
        records[stream] = present
        // A few pages at times, so that they do not fit one packet.
        insert(dice.chance(12) ? dice.number(60...300) : dice.number(0...4), into: stream)
    }
}

/// Makes records at random. In later eras there are more columns, and values that do not fit those of before.
private struct RecordDice {
    var random: SplitMix64
    var era = 0
    var lastNumber = 0

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func chance(_ one: Int) -> Bool { number(1...one) == 1 }
    mutating func pick(_ texts: [String]) -> String { texts[number(0...texts.count - 1)] }

    mutating func record(of stream: PublishedSource.Stream) -> [String: String] {
        lastNumber += 1
        switch stream {
        case .animals:
            var record = [
                "id": "\(lastNumber)", "name": text(), "weight": weight(), "born": instant(), "tags": list(),
                "ok": truth(), "home": home(), "visits": visits(), "createdAt": "\"2026-01-31T08:05:00Z\"",
            ]
            if era > 0 { record["xmin"] = "\(number(0...9))" }
            if era > 1 { record["Extra"] = text() }
            if era > 2 { record["last"] = list() }
            return record
        case .keepers:
            return [
                "section": pick(["\"birds\"", "\"fish\"", "\"Käfer\""]), "no": "\(lastNumber)", "name": text(),
                "pay": weight(), "since": instant(), "is_away": truth(),
            ]
        case .sightings: return ["at": "\(lastNumber)", "what": text(), "seen": instant(), "weight": weight()]
        case .prices: return ["id": "\"p\(lastNumber)\"", "price": weight(), "name": text(), "is_old": truth()]
        // The same line comes again and again.
        case .logs: return ["line": pick(["\"open\"", "\"shut\"", "\"fed\""]), "level": "\(number(0...1))"]
        case .notes: return ["text": text(), "n": "\(lastNumber % 40)", "tags": list()]
        }
    }

    private mutating func text() -> String {
        switch number(0...11) {
        case 0: #""a\u0000b""#
        case 1: #""a \"quoted\" \\ text""#
        case 2: #""""#
        case 3: #""tab\tand\nline""#
        case 4: #""\ud83e\udda9 Ökapi""#
        case 5: "null"
        case 6: "\"\(String(repeating: "long ", count: number(1...600)))\""
        default: pick([#""tapir""#, #""okapi""#, #""quoll""#, #""007""#, #""7""#, #""true""#])
        }
    }

    private mutating func weight() -> String {
        if era > 0, chance(3) { return pick(["1.5", "-0.25", "2.50", "1e3"]) }
        if era > 1, chance(6) {
            return pick([
                #""heavy""#, "1234567890123456789012345678901234567890", "9007199254740993", "0.1234567890123456789",
                #""1.50""#, "true",
            ])
        }
        return chance(9) ? "null" : "\(number(-3...90))"
    }

    private mutating func instant() -> String {
        if era > 0, chance(9) {
            return pick([#""soon""#, #""2026-01-31T08:05:00.1234567Z""#, #""2026-02-30T00:00:00Z""#, "7"])
        }
        let day = number(10...28)
        return pick([
            #""2026-01-\#(day)T08:05:00Z""#, #""2026-01-\#(day)T08:05:00.123456Z""#,
            #""2026-01-\#(day)T08:05:00+02:30""#, "null",
        ])
    }

    private mutating func truth() -> String {
        if era > 1, chance(8) { return pick([#""maybe""#, "1", "2"]) }
        return pick(["true", "false", "null"])
    }

    private mutating func list() -> String {
        if era > 1, chance(8) { return pick([#""none""#, "5"]) }
        return pick(["[]", #"[1,2.50,"x"]"#, #"["a\u0000"]"#, #"[{"b":1,"a":[null,true]}]"#, "null", "[1e400]"])
    }

    private mutating func home() -> String {
        if era > 1, chance(9) { return pick([#""nowhere""#, "null"]) }
        return #"{"City":\#(text()),"zip":\#(weight())}"#
    }

    private mutating func visits() -> String {
        let visits = (0..<number(0...3)).map { #"{"n":\#($0),"at":\#(instant()),"note":\#(text())}"# }
        return "[\(visits.joined(separator: ","))]"
    }
}
