import GarnerDatabase
import GarnerModel

/// The behaviour of a source, and the configuration of a stream of it.
///
/// A source whose records and types drift is read as a whole. A mirror is read in parts, and its records have members of one
/// type each, so that the model can say of each part what must be asked of it.
struct World: Hashable, Codable, Sendable {
    enum KeyKind: String, Codable, CaseIterable, Sendable {
        case integer, text, composite, mixed, drifting, none
    }

    enum Paging: String, Codable, CaseIterable, Sendable {
        case single, auto, jsonLink, headerLink, headerCursor, cursor, cursorHasMore, offset, offsetTotal, pageNumber,
            pageNumberTotal, pageNumberTotalPages, pageNumberHasMore

        static let ofMirrors: [Paging] = [.single, .auto, .jsonLink, .headerLink, .cursor]
    }

    enum Writing: String, Codable, CaseIterable, Sendable {
        case merge, insertOnly, append, replace, dedupe
    }

    enum Missing: String, Codable, CaseIterable, Sendable {
        case ignore, soft, hard
    }

    enum Contract: String, Codable, CaseIterable, Sendable {
        /// For types only.
        case setAside = "set_aside"
        case evolve, discardValue = "discard_value", discardRow = "discard_row", quarantine

        static let ofColumns = allCases.filter { $0 != .setAside }
        /// True if every record is stored.
        var isOpen: Bool { self == .evolve || self == .setAside }
    }

    /// The members that records have beside their keys.
    enum Field: String, Codable, CaseIterable, Sendable {
        /// Words.
        case name
        /// Scalars whose type drifts.
        case drift
        /// Integers and decimals, in many spellings.
        case weight
        /// An object, at times something else.
        case home
        /// An array of scalars.
        case tags
        /// An array of objects.
        case visits
        /// The URL of a file.
        case photo
        /// Members that only some records have.
        case rare
        /// Numbers or booleans, and others among them. It is always there, and never null.
        case figure
        /// Shown or hidden.
        case state
        /// Texts that can be found as bytes.
        case secret, mail
        /// True if the source says that the record is deleted.
        case gone

        static let ofMirrors: [Field] = [.name, .home, .state, .secret, .mail, .gone]
        static let ofDrift = allCases.filter { $0 == .name || $0 == .home || !ofMirrors.contains($0) }

        func owns(_ member: String) -> Bool { self == .rare ? member.hasPrefix("rare") : member == rawValue }
    }

    /// The treatment of the fields of a mirror.
    enum Treatment: String, Codable, CaseIterable, Sendable { case plain, drop, keep, rename, hash, dropAndHash }

    var isMirror = false
    var keyKind = KeyKind.integer
    var isKeyInferred = false
    var paging = Paging.single
    var pageSize = 3
    var sendsETags = false
    var writing = Writing.merge
    var missing = Missing.ignore
    var maxDeleteRatio = 1.0
    var keepsHistory = false
    var isSearched = false
    var childTables = false
    var flattenDepth = 1
    var columns = Contract.evolve
    var types = Contract.setAside
    /// The types of fields (`fields.types`), by their columns.
    var declared: [String: ModelType] = [:]
    var isIncremental = false
    var attempts = 1
    /// True if each page begins with the last record of the page before.
    var repeats = false
    /// True if each record belongs to one of the stream's parent. In a mirror, it may move to another one.
    var hasParent = false
    /// True if the key of a record names its parent, too.
    var isZooInKey = false
    var fields = Field.ofDrift

    // MARK: - Of mirrors

    /// The values of the partition `gate`, in the order of the configuration; none: there is no partition.
    var gates: [String] = []
    /// True if the values come from the rows of another stream instead.
    var queriesGates = false
    var isGateInKey = false
    /// True if the children have the name of their parent.
    var includesName = false
    var followsChanges = false
    /// True if only open parents are asked for their children.
    var choosesOpen = false
    /// The number of steps after which all parents are due again; 0: never.
    var parentPeriod = 0
    var parentMissing = Missing.hard
    /// True if a refused child request counts as an empty list.
    var ignoresGone = false
    /// The number of steps after which an incremental read covers everything; 0: never.
    var period = 0
    /// True if lists begin with their newest record, and a read ends at the first known ones.
    var stopsAtKnown = false
    var filters = false
    var hasTombstones = false
    var treatment = Treatment.plain
    /// The texts of columns that are not in the records.
    var added: [String: String] = [:]

    /// True if the configuration is one that `garner check` accepts, and that the model knows.
    var isValid: Bool {
        guard isMirror else { return hasParent == isZooInKey && (declared.isEmpty || types == .setAside) }
        return (gates.isEmpty ? !isGateInKey && !queriesGates : true) && !(queriesGates && followsChanges)
            && (hasParent ? parentPeriod == 0 || followsChanges : !isZooInKey && !followsChanges && !choosesOpen)
            && (isIncremental || !stopsAtKnown)
            && (!isIncremental || missing == .ignore || period > 0 || hasTombstones)
            && (parentMissing != .ignore || ignoresGone)
    }

    var mayHaveChildTables: Bool {
        isKeyed && !hasParent && contractIsOpen && writing != .insertOnly && fields.contains(.visits)
    }

    var readsAllAtTimes: Bool { isIncremental && period > 0 }

    /// True if the pages have no numbers. A record on two numbered pages is a list that changed, so nothing is deleted.
    var hasNoNumbers: Bool { [.headerCursor, .cursor, .cursorHasMore].contains(paging) }

    /// Returns the records of the page that begins at a place, with the record that it repeats.
    func page(of records: [ModelRecord], from first: Int) -> [ModelRecord] {
        // A page 0 is asked for before page 1.
        guard records.indices.contains(first) else { return [] }
        guard paging != .single else { return records }
        return Array(records[(repeats && first > 0 ? first - 1 : first)..<min(first + pageSize, records.count)])
    }

    var hasFiles: Bool { fields.contains(.photo) }
    var contractIsOpen: Bool { columns.isOpen && types.isOpen }

    /// The members that identify a record; for a source without keys, one that no stream takes for a key.
    var keyNames: [String] {
        switch keyKind {
        case .composite, .mixed: ["order", "line"]
        case .none: ["n"]
        case .integer, .text, .drifting: ["id"]
        }
    }

    /// The columns that identify a row.
    var keyColumns: [String] { (isGateInKey ? [Self.gate] : []) + (isZooInKey ? [Self.zoo] : []) + keyNames }

    /// True if columns of the record identify the rows.
    var isKeyed: Bool { keyKind != .none }

    static let table = "animals"
    /// The columns with the value of the partition, and with the key and the name of the parent's record.
    static let (gate, zoo, zooName) = ("_gate", "_zoos_id", "_zoos_name")
    var searched: [String] { isMirror ? [columnOfName] : ["name", "drift"] }

    /// The time that a step of a history takes, in seconds.
    static let beat = 10
    /// The values of the partition that there may be.
    static let gateNames = ["north", "south", "west"]
    /// The texts that a column of `fields.add` may have.
    static let additions = [
        "fetched_at": ["{now}"], "fetched_ms": ["{now, epoch_ms}"], "keeper": ["Ada", "Ben"],
    ]
}

// MARK: - The treatment of fields, as docs/configuration.md describes it

extension World {
    /// The words that no byte of a database may have where the fields are left out or hashed.
    static let (hush, mailHost) = ("hush-hush-", "@canary.example")
    static let hashKey = "a key that nobody knows"

    /// The hashes of the texts m0@canary.example and so on: `printf m0@canary.example | openssl dgst -sha256 -hmac KEY`.
    private static let hashes = [
        "f73bacb61fcee7b1da0d539d5895b0e3c4ea16daeec34398dc737fb1598cd442",
        "78246c53b0443b2be75d5f334f07ce64b0481c463d8dc1565cc714f8236fe738",
        "81fd3bb2f4ae1f8f1008b6cf28b5248e64a738a6ce1f263f7c53d12ef80bb1f4",
        "39ed7550a9ccad38061614e4a4425c77ed3910b07f1fe0df8eb414e9493788b6",
        "6e56c7bb03d8f98441bb8621fdbfa5ab571374e2336ef1ba51f21c26765b5f32",
        "0786c58a486623caa91a36b306d196dac6854219cbeab74c85a7b1294eded09a",
        "aceea2ea83d0769b9a09b9bc351281e2a9697ae3a56097063dadcc52f8b870c9",
        "2f79cc265dc1ecca6130680d4bf1e1d87c65ce482f372baa8e04f798458e7b93",
    ]

    /// The members with texts to be found, of one of the eight records that are different in them.
    static func secrets(_ number: Int) -> [Content.Member] {
        let phone = Content.string("\(hush)phone-\(number)")
        return [
            .init(name: "secret", value: .string("\(hush)\(number)")),
            .init(name: "home", value: .object(["city": .string("city \(number % 3)"), "phone": phone])),
            .init(name: "mail", value: .string("m\(number % hashes.count)\(mailHost)")),
            .init(name: "photo", value: .string("/files/\(number % 3)")),
        ]
    }

    var columnOfName: String { treatment == .rename || treatment == .dropAndHash ? "title" : "name" }
    var hidesSecrets: Bool { [.drop, .keep, .dropAndHash].contains(treatment) }
    var hidesMail: Bool { [.hash, .keep, .dropAndHash].contains(treatment) }

    /// The columns that are left of those of a record.
    func treated(_ columns: [(String, Content)]) -> [(String, Content)] {
        columns.compactMap { name, value in
            switch name {
            case "secret", "home__phone": hidesSecrets ? nil : (name, value)
            case "name": (columnOfName, value)
            case "mail" where treatment == .keep: nil
            case "mail" where hidesMail:
                value.spelling?.dropFirst().first?.wholeNumberValue.map { (name, .string(Self.hashes[$0])) }
            default: (name, value)
            }
        }
    }

    enum Fate { case stored, deleted, filtered, broken }

    /// What becomes of a record of a mirror.
    func fate(of record: ModelRecord) -> Fate {
        func says(_ name: String, _ value: Content) -> Bool { record.members.contains(.init(name: name, value: value)) }
        if hasTombstones, says("gone", .bool(true)) { return record.isBroken ? .filtered : .deleted }
        if filters, says("state", .string("hidden")) { return .filtered }
        return record.isBroken ? .broken : .stored
    }

    func stores(_ record: ModelRecord) -> Bool { fate(of: record) == .stored }

    /// Returns what the columns of `fields.add` get in a read that began at an instant.
    func addedValues(ofReadBegunAt instant: Timestamp) -> Row {
        added.mapValues { text in
            switch text {
            case "{now}": .text(instant.description.replacing(".000Z", with: "Z"))
            case "{now, epoch_ms}": .integer(instant.millisecondsSince1970)
            default: .text(text)
            }
        }
    }
}
