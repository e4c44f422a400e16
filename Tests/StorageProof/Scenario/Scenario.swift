import GarnerCatalog
import GarnerModel
import GarnerPersistence

/// A sequence of steps that is played while things go wrong: reads of two streams, in which each step is acknowledged
/// when it returns.
struct Scenario: Sendable {
    /// One complete read of a stream.
    struct Read: Sendable {
        let stream: StreamConfiguration
        /// Counts the reads of its stream from 1.
        let ordinal: Int
        let pages: [Page]
    }

    enum Page: Sendable {
        case records(String)
        /// The page is the same as when it was read before.
        case unchanged
    }

    enum Step: Sendable {
        case open
        case begin(Read)
        case openRead
        /// A page of a read, counted from 1.
        case page(Int, of: Read)
        /// A checkpoint by another connection, as an owner's tool might make it.
        case checkpoint
        case close
    }

    /// Returns the number of steps that survive a power loss after the first `count` ones. A run that has only begun may begin
    /// again. Where not every page waits for the disk, the last one of a read does, and the first one of a writer: time stands
    /// still, so no second passes.
    func durableSteps(among count: Int, _ synchronous: Synchronous) -> Int {
        var (durable, hasWaited, isOpen) = (0, false, false)
        for (place, step) in steps.prefix(count).enumerated() {
            switch step {
            case .begin, .openRead:
                isOpen = false
                continue
            case .checkpoint where isOpen: continue
            case .page(let number, let read):
                // A page that shares a transaction is in the log when that ends.
                isOpen = isFollowed(number, of: read) && synchronous == .normal
                guard !isOpen, synchronous == .full || number == read.pages.count || !hasWaited else { continue }
                hasWaited = true
            case .open: hasWaited = false
            case .checkpoint, .close: break
            }
            durable = place + 1
        }
        return durable
    }

    /// The word before the names of its cases.
    let name: String
    /// True if the pages of a read share a transaction.
    let sharesTransactions: Bool
    let reads: [Read]
    /// The last read, without a disturbance, since the next read settles what an interrupted one leaves.
    let settling: Read
    let steps: [Step]

    /// Creates, migrates, loads, evolves, widens, deletes, appends, and is closed and opened in between.
    static let standard = Scenario(first, second, appended) { first, second, appended in
        [.open, .begin(first), .openRead, .page(1, of: first), .checkpoint, .page(2, of: first)]
            + [.page(3, of: first), .close, .open, .begin(second), .openRead, .page(1, of: second)]
            + [.begin(appended), .openRead, .page(1, of: appended), .checkpoint, .page(2, of: appended)]
            + [.begin(second), .openRead, .page(2, of: second), .page(3, of: second), .close]
    }

    /// The same reads, the pages of each in one transaction but for the last.
    static let together = Scenario(named: "together ", first, second, appended) { first, second, appended in
        [.open, .begin(first), .openRead, .page(1, of: first), .checkpoint, .page(2, of: first)]
            + [.page(3, of: first), .begin(second), .openRead, .page(1, of: second), .page(2, of: second)]
            + [
                .page(3, of: second), .begin(appended), .openRead, .page(1, of: appended), .page(2, of: appended),
                .close,
            ]
    }

    /// The same steps, in which each page is a transaction of its own.
    var alone: Scenario {
        Scenario(name: name, sharesTransactions: false, reads: reads, settling: settling, steps: steps)
    }

    /// Returns true if the page after this one has come when it is stored.
    func isFollowed(_ number: Int, of read: Read) -> Bool { sharesTransactions && number < read.pages.count }

    private static let first =
        Read(
            stream: animals, ordinal: 1,
            pages: [
                .records(
                    #"[{"id":1,"name":"Tapir","weight":180,"tags":["x"]},{"id":2,"name":"Okapi","weight":250},{"id":3}]"#
                ),
                // A new column, a wider one, and a text that needs pages of its own.
                .records(
                    #"[{"id":4,"name":"Axolotl","weight":0.2,"diet":"\#(String(repeating: "worms ", count: 2000))"},{"id":5}]"#
                ),
                // Text in a column of numbers, which is respelled.
                .records(#"[{"id":6,"name":"Kakapo","weight":"heavy","home":{"land":"NZ"}},{"id":7,"weight":1}]"#),
            ])

    private static let second =
        Read(
            stream: animals, ordinal: 2,
            pages: [
                .unchanged,
                .records(#"[{"id":4,"name":"Axolotl","weight":0.25,"diet":"worms"},{"id":8,"name":"Quoll"}]"#),
                // Two are missing; a key that is no number makes the table anew.
                .records(#"[{"id":6,"name":"Kakapo","weight":"heavy"},{"id":"n-9","name":"Numbat","seen":true}]"#),
            ])

    private static let appended =
        Read(
            stream: sightings, ordinal: 1,
            pages: [
                .records(#"[{"at":1,"what":"Tapir"},{"at":2,"what":"Tapir"}]"#),
                .records(#"[{"at":3,"what":"Okapi"}]"#),
            ])
}

extension Scenario {
    /// - Parameter name: The word before the names of its cases. Only a scenario with a name shares transactions.
    private init(
        named name: String = "", _ first: Read, _ second: Read, _ appended: Read, steps: (Read, Read, Read) -> [Step]
    ) {
        let whole = first.pages[0]
        self.init(
            name: name, sharesTransactions: !name.isEmpty, reads: [first, second, appended],
            settling: Read(stream: second.stream, ordinal: 3, pages: [whole] + second.pages.dropFirst()),
            steps: steps(first, second, appended))
    }

    static let animals = stream("animals", key: ["id"], missing: .hard)
    static let sightings = stream("sightings", writing: .append)

    static func stream(
        _ name: String, key: [String]? = nil, writing: WriteDisposition? = nil, missing: DeleteMissing = .ignore
    ) -> StreamConfiguration {
        StreamConfiguration(
            name: StreamName(source: "zoo", stream: name), table: name,
            place: ConfigurationPlace(file: "garner.yaml"),
            request: RequestTemplate(baseURL: "https://api.example.org/", path: name), primaryKey: key,
            writeDisposition: writing, deleteMissing: missing, maxDeleteRatio: 0.9)
    }
}
