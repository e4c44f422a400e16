import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerSync
import GarnerTasks

/// The result of a stream's check: its failure, or a sample of its first page if one was requested.
struct StreamCheck {
    private static let maximumConcurrentChecks = 4

    let stream: StreamConfiguration
    let sample: Sample?
    let failure: CommandError?

    struct Sample {
        let records: Int
        let hasMore: Bool
        /// The line of configuration that would tell the end of a read, and its reason; nil if it is known or not
        /// found.
        var advice: String?
    }

    /// Checks all streams, some at a time. Returns the results in the order of the streams.
    ///
    /// - Parameter check: Throws if the stream cannot be read.
    static func all(
        _ streams: [StreamConfiguration], _ check: @escaping @Sendable (StreamConfiguration) async throws -> Sample?
    ) async -> [StreamCheck] {
        var waiting = Array(streams.enumerated())[...]
        var checks: [(Int, StreamCheck)] = []
        await performConcurrently(atMost: maximumConcurrentChecks) {
            waiting.popFirst()
        } _: { index, stream in
            (index, await one(stream, check))
        } handle: {
            checks.append($0)
        }
        return checks.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private static func one(
        _ stream: StreamConfiguration, _ check: @Sendable (StreamConfiguration) async throws -> Sample?
    ) async -> StreamCheck {
        do {
            return StreamCheck(stream: stream, sample: try await check(stream), failure: nil)
        } catch {
            return StreamCheck(stream: stream, sample: nil, failure: CommandError(error, of: stream))
        }
    }
}

extension StreamCheck.Sample {
    /// Adds to the advice which fields that the configuration names no record of the page has, if no earlier read has looked for them.
    /// Throws if one of them seems to be misspelt.
    mutating func note(namesOf stream: StreamConfiguration, on page: Page, _ history: StreamHistory?) throws {
        let known = history?.namedFields ?? [:]
        try page.requireNames(known: known, isNew: history?.lastVerdict == nil)
        let unseen = page.unseenFields.map { ($0.field.text, false) }.filter { known[$0.0] == nil }
        if let words = stream.words(of: Dictionary(unseen) { $1 }) { add(words) }
        let marks = page.unseenFields.map(\.field).filter { known[$0.text] != true }
        if let words = stream.words(onMarksAmong: marks) { add(words) }
        if let words = page.warning { add(words) }
        if let words = page.wordsOnFilter { add(words) }
    }

    /// Adds to the advice that record_selector names a value inside the records, or that json_link seems to follow a cursor.
    mutating func note(placesOf stream: StreamConfiguration, on page: Page) {
        for words in [stream.doubtOnRecords(page), stream.doubtOnFiles(page)] { if let words { add(words) } }
        // An address may well end with a word, with a number, or with both, as in page2.
        if let link = stream.paginator.kind.method as? Paginator.JSONLink, let place = link.nextURLPaths.first,
            let word = page.next?.url.split(separator: "/").last,
            word.wholeMatch(of: /[\w%+=-]*[0-9][\w%+=-]*/) != nil,
            word.wholeMatch(of: /[A-Za-z]*[_-]?[0-9]+/) == nil
        {
            add(
                "the link to the next page seems to be no URL; if it is a cursor, write paginator: { type: cursor, "
                    + "cursor_path: \(place) }")
        }
    }

    /// Throws if no record of the page has the key that the configuration names, as a first sync does.
    func requireFields(of stream: StreamConfiguration, on first: FirstPage) throws {
        if stream.primaryKey != nil, case .records(let records) = first.page.content {
            _ = try TablePreview(
                of: stream, from: records.removing(first.page.deletions), in: first.slice,
                isDocument: first.page.verdict?.kind == .document)
        }
    }

    /// Adds to the advice what a sync would warn of: records without the configured key, and records that share one. Throws if the first
    /// sync would fail. That of a table with rows goes on.
    mutating func note(keysOf stream: StreamConfiguration, on first: FirstPage, isNew: Bool, now: Timestamp) throws {
        guard case .records(let records) = first.page.content else { return }
        do {
            let warnings = try KeyTrial.warnings(
                of: stream, storing: records, deleting: first.page.deletions, in: first.slice, now: now)
            for words in warnings { add(first.redaction.redacted(words)) }
        } catch let error as PersistenceError where !isNew {
            add(first.redaction.redacted(error.message))
        }
    }

    /// Adds to the advice that the table would have no key, if missing rows are to be deleted from it.
    mutating func note(missingKeyOf stream: StreamConfiguration, on first: FirstPage) {
        // The advice on a body that is one record says what helps there.
        guard stream.deleteMissing != .ignore, first.page.verdict?.kind != .document,
            case .records(let records) = first.page.content,
            let table = try? TablePreview(of: stream, from: records.removing(first.page.deletions), in: first.slice),
            !table.columns.isEmpty, table.primaryKey.isEmpty
        else { return }
        add(
            stream.writeDisposition == .append
                ? "delete_missing deletes nothing from a table with write_disposition: append; remove one of them"
                : "delete_missing needs a primary key, and no usual field identifies the records; set primary_key; "
                    + "'garner init --update' looks for one")
    }

    mutating func add(_ words: String) { advice = advice.map { "\($0); \(words)" } ?? words }

    init(_ page: Page) {
        records = page.recordCount
        // A read that ends here with a part of the records also has more.
        hasMore = page.next != nil || page.verdict?.completeness == .partial
        guard page.next == nil, hasMore, let reason = page.verdict?.reason else { return }
        add("a sync ends with this page: \(reason)")
    }
}

extension Page {
    /// It tells that the configuration has left out all records of a page. It is nil for any other page.
    var wordsOnFilter: String? {
        guard recordCount == 0, self.leftOut > 0 else { return nil }
        return "record_filter leaves out all \(self.leftOut.counted("record"))"
            + (self.filterMismatch.map { "; in the first one \($0)" } ?? "")
    }
}

extension CommandError {
    /// Describes why a stream cannot be read.
    init(_ error: any Error, of stream: StreamConfiguration) {
        // An error of the table quotes what the server sent.
        if error is PersistenceError { self.init(Redaction(of: stream).failure(error)) } else { self.init(error) }
        self.stream = stream.name.description
        place = place ?? stream.place.description
    }
}

extension Setup {
    /// Returns what to set or to run so that the end of the stream's reads is known, and missing rows can be deleted, with
    /// the reason. Returns nil if the first page tells all of that. At most two requests are sent.
    func advice(on stream: StreamConfiguration, behind page: Page, over transports: Transports) async throws -> String?
    {
        if page.verdict?.kind == .document, stream.deleteMissing != .ignore {
            return "the whole body is one record, so nothing is ever deleted; write_disposition: replace keeps only "
                + "the result of the last read"
        }
        if stream.keepsMissingRows(after: page.verdict) {
            return
                "a part is left out by choice (\(page.verdict?.reason ?? "as configured")), so missing rows are never deleted"
        }
        if page.verdict?.kind == .contradicted || page.doubt != nil { return (page.doubt ?? page.verdict)?.reason }
        if page.verdict?.kind == .missed, let cause = page.verdict?.cause, cause.advice != nil { return cause.words }
        let second = SecondPage(stream: stream, access: try transports.access(to: stream, timing: timing))
        if try await second.hasPageZero(before: page) {
            return "asked with page 0 the API gives other records; write base_page: 0 in paginator if they come first"
        }
        let look = try await second.look(behind: page)
        return switch look {
        case .others(let asked)?:
            "asked with \(asked) the API gives other records; run 'garner init --update' to add the paginator that "
                + "reads them"
        case .same(let asked)?:
            "asked with \(asked) the API gives no other records; does it have more? 'garner init --update' asks in "
                + "other ways"
        case .changing? where stream.replacesTable: nil
        case .changing?:
            "all records change from one request to the next, so that it cannot be told if there are other pages; is "
                + "write_disposition: replace right?"
        case nil: page.verdict.flatMap { $0.kind == .silent && $0.cause?.advice != nil ? $0.reason : nil }
        }
    }

    /// Warns of each stream that is to delete missing rows and never does, since its table has no key, or its last read left a
    /// part out by choice. A database that does not exist or cannot be read is no matter of a check.
    func warnOfRowsNeverDeleted(of streams: [StreamConfiguration], in reader: ReadOnlyDatabase?) {
        guard !isQuiet, let reader else { return }
        for stream in streams where stream.deletesRows {
            guard let history = try? reader.history(of: stream.name) else { continue }
            if stream.deleteMissing != .ignore, history.hasKey == false {
                let obstacle = StreamStatus.Obstacle.noKey
                Self.warn(obstacle.text, of: stream, try: obstacle.remedy(for: stream.name))
            }
            guard let verdict = history.lastVerdict, stream.keepsMissingRows(after: verdict) else { continue }
            let key = stream.replacesTable ? "write_disposition: replace" : "delete_missing"
            let reason = verdict.reason ?? "a part was left out"
            let part = "its last read left a part out by choice (\(reason)), and \(key) deletes nothing then"
            Self.warn(part, of: stream, try: "read all pages, or remove \(key)")
        }
    }

    /// Warns of fields that no record has had, or has any more, and of columns with values of another kind, which nothing has settled.
    func warnOfUnsettledFields(of streams: [StreamConfiguration], in reader: ReadOnlyDatabase?) {
        guard !isQuiet, let reader, let notes = try? reader.streamNotes() else { return }
        for stream in streams {
            guard let history = try? reader.history(of: stream.name, notes) else { continue }
            for words in [stream.words(of: history.namedFields), stream.words(ofEmptied: history.emptiedColumns)] {
                if let words { Self.warn(words, of: stream) }
            }
            let columns = history.oddColumns.filter { !stream.fields.settles($0) }
            guard let remedy = stream.fields.remedy(for: columns) else { continue }
            for column in columns { Self.warn(column.text, of: stream) }
            StandardError.write("Try: \(remedy)\n")
        }
    }

    /// Warns of streams that the database has and the file has not, as they may be those of the file under their old names.
    ///
    /// - Parameters:
    ///   - chosen: The streams that are about to be read, to warn only of what a new stream of the file may be, unless it is refused;
    ///     nil to warn of all.
    ///   - reader: A connection to the database; nil for a new one.
    func warnOfOtherStreams(
        than configuration: Configuration, reading chosen: [StreamConfiguration]? = nil,
        in reader: ReadOnlyDatabase? = nil
    ) {
        guard !isQuiet, let reader = try? reader ?? ReadOnlyDatabase(path: configuration.database),
            let difference = try? StreamDifference(of: configuration, in: reader)
        else { return }
        let names = chosen.map { Set($0.map(\.name)) }
        let gone = difference.gone.filter { old in
            guard let names else { return true }
            guard let new = difference.renamed[old.name] else { return false }
            return !names.contains(new) || (try? difference.refusal(of: new, in: reader)) == nil
        }
        let words = gone.map(difference.words)
        for (index, (text, remedy)) in words.enumerated() {
            // All streams of a renamed source have one remedy.
            let isLast = index + 1 == words.count || words[index + 1].remedy != remedy
            StandardError.warn("\(text)", try: isLast ? remedy : nil)
        }
    }

    /// Warns of each stream whose rows come from another place than the file says, were read without its filter, or only from a later
    /// start on.
    ///
    /// - Parameter reader: A connection to the database; nil for a new one.
    func warnOfFormerReads(
        of streams: [StreamConfiguration], in configuration: Configuration, _ reader: ReadOnlyDatabase? = nil
    ) {
        guard !isQuiet, let reader = try? reader ?? ReadOnlyDatabase(path: configuration.database),
            let difference = try? StreamDifference(of: configuration, in: reader)
        else { return }
        var told: [(stream: StreamConfiguration, words: (text: String, remedy: String))] = []
        for (stream, former) in difference.moved {
            told.append((stream, StreamDifference.words(on: stream, from: former)))
        }
        for stream in difference.filtered { told.append((stream, StreamDifference.words(onFilterOf: stream))) }
        for stream in streams {
            if let words = try? stream.words(onStartIn: reader) { told.append((stream, words)) }
        }
        let names = Set(streams.map(\.name))
        for (stream, words) in told where names.contains(stream.name) {
            StandardError.warn("\(stream.place): \(words.text)", try: words.remedy)
        }
    }

    /// Throws if two streams have each other's name in the file, since each would be read into the table of the other.
    ///
    /// - Parameter reader: A connection to the database; nil for a new one.
    func refuseSwappedNames(in configuration: Configuration, _ reader: ReadOnlyDatabase? = nil) throws {
        guard let reader = try? reader ?? ReadOnlyDatabase(path: configuration.database),
            let swapped = try? StreamDifference(of: configuration, in: reader).swapped,
            let (one, other) = swapped.first
        else { return }
        let names = Set(swapped.flatMap { [$0.0.name.description, $0.1.name.description] }).sorted()
        throw CommandError(
            .misconfigured, kind: "swapped_names",
            message: "\(other.name) asks for what the table of \(one.name) has, and not for what its own has",
            place: one.place.description,
            hint:
                "give \(names.joined(separator: ", ")) their former names in the file; if they are to stay so, begin them anew "
                + "with '\(names.map { "garner drop \($0)" }.joined(separator: " && "))'")
    }

    /// Throws if no sync could use what is in the place of the database. One that is not there yet is made by the first sync.
    func requireUsableDatabase(at path: String) throws {
        do {
            _ = try ReadOnlyDatabase(path: path)
        } catch let error as PersistenceError
            where [.unusable, .permission, .foreign, .cannotCreate].contains(error.kind)
        {
            // The next sync brings the file of an older garner up to date.
            if case .syncOnce = error.hint { return }
            throw error
        } catch {
            // The sync says what else is wrong, or mends it.
        }
        guard access(path, F_OK) == 0, access(path, R_OK | W_OK) != 0 else { return }
        throw PersistenceError(
            .permission, "the database \(path) cannot be written: \(String(cString: strerror(errno)))",
            hint: "check the permissions of the file and of its folder")
    }

    /// Returns why streams cannot be read: they seem to be renamed, cannot have their tables, or those were made with other keys. A
    /// database that does not exist or cannot be read is no matter of a check.
    func refusals(
        of streams: [StreamConfiguration], in configuration: Configuration, _ reader: ReadOnlyDatabase?
    ) -> [StreamName: any Error] {
        guard let reader else { return [:] }
        let difference = try? StreamDifference(of: configuration, in: reader)
        var refusals: [StreamName: any Error] = [:]
        for stream in streams {
            do {
                if let refusal = try? difference?.refusal(of: stream.name, in: reader) { throw refusal }
                try reader.requireTable(of: stream)
            } catch {
                refusals[stream.name] = error
            }
        }
        return refusals
    }

    func withStoredTables(_ streams: [StreamConfiguration], in reader: ReadOnlyDatabase?) -> [StreamConfiguration] {
        guard let reader else { return streams }
        return streams.map { stream in
            var stream = stream
            stream.table = (try? reader.table(of: stream)) ?? stream.table
            return stream
        }
    }

    /// Returns what the database knows of the streams that it has a run of.
    func histories(of streams: [StreamConfiguration], in reader: ReadOnlyDatabase?) -> [StreamName: StreamHistory] {
        guard let reader, let notes = try? reader.streamNotes() else { return [:] }
        let found = streams.compactMap { stream in
            (try? reader.history(of: stream.name, notes)).map { (stream.name, $0) }
        }
        return Dictionary(found) { first, _ in first }
    }

    func streamsWithCursor(among streams: [StreamConfiguration], in reader: ReadOnlyDatabase?) -> Set<StreamName> {
        guard let reader else { return [] }
        return Set(
            streams.map(\.name).filter { ((try? reader.state(of: $0, limit: 0))?.cursorCount ?? 0) > 0 })
    }

    func warnOfRestingLogin(of stream: StreamConfiguration, _ rest: FetchError?) {
        guard !isQuiet, let failure = rest?.failure else { return }
        Self.warn(failure.message, of: stream, try: failure.hint?.words ?? "")
    }

    /// Evaluates the queries for the values of partitions, if the database can be read. Throws if one cannot be
    /// evaluated whatever is stored; warns if one has no values yet.
    func checkPartitionQueries(of stream: StreamConfiguration, in database: String) throws {
        guard stream.hasPartitionQueries, (try? ReadOnlyDatabase(path: database)) != nil else { return }
        do {
            _ = try stream.withPartitionValues(from: database, clock: clock)
        } catch let error as PersistenceError where error.kind == .partition {
            if !isQuiet { Self.warn(error.message, of: stream, try: error.hint.words) }
        }
    }
}

/// The requests that a sync would make for one of several streams.
enum PlannedStream {
    case planned(StreamPlan)
    /// The first stream must be read first, since its records determine the requests of the second one.
    case after(StreamName, of: StreamName)
    case impossible(CommandError)

    init(of stream: StreamConfiguration, among streams: [StreamConfiguration], _ plan: () throws -> StreamPlan) {
        do {
            self = .planned(try plan())
        } catch let error as PersistenceError where error.kind == .missing {
            let parent = streams.first { $0.name == stream.parent?.stream }?.name
            self = parent.map { .after($0, of: stream.name) } ?? .impossible(CommandError(error, of: stream))
        } catch {
            self = .impossible(CommandError(error, of: stream))
        }
    }

    var failure: CommandError? {
        if case .impossible(let failure) = self { failure } else { nil }
    }
}
