package import GarnerCatalog
package import GarnerFetcher
import GarnerJSON
import GarnerModel
import GarnerPersistence

/// A search for the second page: it tries the usual parameters until one of them returns other records.
package struct SecondPage: Sendable {
    let stream: StreamConfiguration
    let access: SourceAccess

    package init(stream: StreamConfiguration, access: SourceAccess) {
        (self.stream, self.access) = (stream, access)
    }

    /// Finds how the pages after the first one are reached. The page's own statement takes precedence.
    ///
    /// - Parameter requests: The most requests to make; what is left of them.
    package func paging(
        behind sample: PageSample, _ records: SampledRecords, asked query: StarterQuery, requests: inout Int
    ) async throws -> StarterFindings.Finding<Paginator> {
        let finding = sample.paging(of: records, asked: query)
        guard stream.request.asksByURL else { return finding }
        let guesses = sample.guesses(of: records, asked: query)
        guard !guesses.isEmpty else { return finding }
        var questions = Questions(
            stream: stream, access: access, first: RecordIdentities(of: records.selection, stream), left: requests)
        defer { requests = questions.left }
        let countsThePage = sample.totalMayCountThePage(records, asked: query)
        let isLast = sample.endsByLink(records, asked: query)
        let last = StarterFindings.Finding(
            Paginator(), "nothing follows this page; garner finds out as soon as something does")
        do {
            for guess in guesses {
                switch try await questions.test(guess) {
                case .right where countsThePage && !questions.foundOthers: return finding
                case .right where isLast && !questions.foundOthers: return last
                case .right(let paginator, let remark):
                    guard countsThePage else { return .init(paginator, remark) }
                    return .init(paginator.ignoringTotal, "\(remark), so that the total counts only one page")
                case .changing:
                    // A number of the first page that is not certain would leave records out.
                    let value = finding.value.kind.method is Paginator.Cursor ? finding.value : Paginator()
                    return .init(value, "the list changes from one request to the next", isDoubtful: true)
                case .wrong: continue
                }
            }
        } catch is Questions.NoneLeft {
            // What was asked has its answers.
        } catch let error as FetchError where !error.kind.isRejection {
            // The server cannot be reached now.
            guard finding.value.kind != .auto else { return finding }
            return .init(finding.value, "\(finding.remark), which could not be tried now", isDoubtful: true)
        }
        if isLast, !questions.foundOthers { return last }
        if let (asked, paginator) = questions.open {
            return .init(
                finding.value.kind == .auto ? finding.value : Paginator(),
                "asked with \(asked) the API gives other records; is paginator: \(paginator.line) right?",
                isDoubtful: true)
        }
        // Parameters of the URL that count nothing say nothing of the pages.
        if countsThePage || guesses.allSatisfy(\.isOfURL) { return finding }
        let remark = "the API gives no other page for any of \(questions.asked.joined(separator: ", "))"
        if guesses.contains(where: { $0.paginator == finding.value && questions.asked.contains($0.parameter) }) {
            return .init(.auto, "\(remark), although \(finding.remark); set paginator", isDoubtful: true)
        }
        guard finding.value.kind == .auto, !finding.tellsOfMore else { return finding }
        guard questions.areNumbersIgnored else {
            return .init(
                finding.value,
                "none of \(questions.asked.joined(separator: ", ")) leads to the next page for certain; if there are more "
                    + "records, set paginator", isDoubtful: true)
        }
        // A page of this length may be full, and another parameter may lead further.
        guard records.selection.count % 5 != 0 || records.selection.count == 0 else {
            return .init(
                finding.value, "\(remark); if there is none, set paginator: { type: single_page }", isDoubtful: true)
        }
        // A member that is not understood may tell of more pages.
        return .init(
            sample.speaksOfPages(besides: records) ? finding.value : Paginator(.singlePage),
            "\(remark); is there another parameter that does? Then set paginator", isDoubtful: true)
    }

    /// Reads the first pages as a sync would read them. What cannot be read is left out.
    func pages(
        behind records: SampledRecords, by paginator: Paginator, atMost count: Int
    ) async throws -> [Selection] {
        var reading = stream
        (reading.paginator, reading.recordSelector) = (paginator, records.finding.value)
        reading.recordShape = records.shape
        (reading.recordFilter, reading.deletedWhen, reading.fields) = (nil, nil, FieldRules())
        reading.retry.maxAttempts = 1
        var pages: [Selection] = []
        do {
            let fetcher = try access.fetcher(of: reading)
            var position: PagePosition? = try fetcher.firstPosition
            while let asked = position, pages.count < count {
                let page = try await fetcher.page(at: asked)
                guard case .records(let selection) = page.content else { break }
                pages.append(selection)
                position = page.next
            }
        } catch is FetchError {
            // The pages that have come are looked at.
        }
        return pages
    }

    /// Returns true if there is a page 0 with other records than page 1, with which the configuration begins. Asks for it once.
    package func hasPageZero(before page: Page) async throws -> Bool {
        guard let one = PageOne(page, of: stream) else { return false }
        do {
            return one.follows(try await one.pageZero(by: access.fetcher(of:)))
        } catch is FetchError {
            return false
        }
    }

    /// Asks for a second page, if the first one does not say whether there is one.
    ///
    /// Returns nil if that is known or cannot be asked for.
    package func look(behind page: Page) async throws -> SecondLook? {
        guard page.verdict?.kind == .silent, stream.paginator == Paginator(), stream.request.asksByURL,
            stream.request.placeholders.isEmpty, let sample = PageSample(page, of: stream),
            let records = try? sample.records,
            let guess = sample.guesses(of: records, asked: StarterQuery(of: stream)).first(where: { !$0.isOfURL })
        else { return nil }
        let first = RecordIdentities(of: records.selection, stream)
        var questions = Questions(stream: stream, access: access, first: first, left: 2)
        let parameters = guess.parameters(behind: first)
        do {
            guard try await questions.ask(with: parameters).isOther(than: first) else { return .same(parameters.text) }
            // A list that differs with each request proves nothing.
            return try await questions.ask(with: []).isOther(than: first) ? .changing : .others(parameters.text)
        } catch let error as FetchError where !error.kind.isRejection {
            return nil
        }
    }
}

/// The pages of a list that is read from page 1 on, to be compared with the page 0 that the list may have.
final class PageOne {
    /// The number of records that are remembered, at eight bytes each. Of a longer list, the first page and the latest ones count.
    private static let mostKnown = 1 << 20

    /// The stream as it is read from page 0 on.
    private let asking: StreamConfiguration
    /// Where the records of the first page stand, and the field that tells them apart.
    private let layout: PageLayout?
    private let key: String?
    private var first: Set<UInt64> = []
    private var known: Set<UInt64> = []

    /// Fails for a list that is asked for in another way, and for a page that the server takes for the whole list.
    init?(_ page: Page, of stream: StreamConfiguration) {
        guard var numbers = stream.paginator.kind.method as? Paginator.PageNumber, numbers.basePage == 1,
            page.next != nil || page.recordCount == 0, stream.request.asksByURL, stream.request.placeholders.isEmpty,
            case .records(let records) = page.content
        else { return nil }
        (numbers.basePage, numbers.omitsFirst) = (0, false)
        var asking = stream
        (asking.paginator.kind, asking.retry.maxAttempts) = (.pageNumber(numbers), 1)
        (self.asking, layout, key) = (asking, page.layout, KeyInference.key(of: stream, in: records))
        first = identities(of: records)
        known = first
    }

    /// Notes a page. Servers may take page 0 for the last one, or for any other.
    func note(_ page: Page) {
        guard case .records(let records) = page.content else { return }
        if known.count > Self.mostKnown { known = first }
        known.formUnion(identities(of: records))
    }

    /// Asks for page 0.
    func pageZero(by remade: (StreamConfiguration) throws -> PageFetcher) async throws -> Page {
        let fetcher = try remade(asking)
        return try await fetcher.page(at: fetcher.firstPosition)
    }

    /// Returns true if page 0 has records where the other pages have theirs, with their key, and none of those. A message is no record.
    func follows(_ zero: Page) -> Bool {
        guard case .records(let records) = zero.content, records.count > 0, zero.layout == layout else { return false }
        var haveKey = true
        if let key { records.forEach { haveKey = haveKey && $0[key] != nil } }
        return haveKey && identities(of: records).isDisjoint(with: known)
    }

    private func identities(of records: Selection) -> Set<UInt64> {
        var identities: Set<UInt64> = []
        records.forEach { record in
            var hash = StableHash()
            hash.add((key.flatMap { record[$0] } ?? record).utf8)
            identities.insert(hash.value)
        }
        return identities
    }
}

/// The answer to a question for a second page.
package enum SecondLook: Sendable, Equatable {
    /// Asked with these parameters, the API gives other records.
    case others(String)
    /// It gives the same records, or none.
    case same(String)
    /// It gives other records with each request.
    case changing
}

/// Questions to an API about its second page, of which only some may be asked.
private struct Questions {
    struct NoneLeft: Error {}

    enum Outcome {
        /// The paginator reads all pages.
        case right(Paginator, remark: String)

        static func right(_ paginator: Paginator, _ parameters: [Parameter]) -> Outcome {
            .right(paginator, remark: "asked with \(parameters.text) the API gives other records")
        }

        case changing
        case wrong
    }

    let stream: StreamConfiguration
    let access: SourceAccess
    let first: RecordIdentities
    var left: Int
    /// The parameters that were tried.
    private(set) var asked: [String] = []
    /// The guess that has brought other records, and is not made sure of: what was asked, and the paginator.
    private(set) var open: (asked: String, Paginator)?
    /// True if a question has brought other records.
    private(set) var foundOthers = false
    private var ignoresNumber = false
    private var ignoresOffset = false
    /// True if a page number or an offset was answered in another way than none.
    private var heedsOne = false

    init(stream: StreamConfiguration, access: SourceAccess, first: RecordIdentities, left: Int) {
        (self.stream, self.access, self.first, self.left) = (stream, access, first, left)
    }

    /// True if page numbers and offsets were tried, and none has changed anything.
    var areNumbersIgnored: Bool { ignoresNumber && ignoresOffset && !heedsOne }

    mutating func test(_ guess: PageGuess) async throws -> Outcome {
        let parameters = guess.parameters(behind: first)
        let second = try await ask(with: parameters)
        asked.append(guess.parameter)
        open = second.isOther(than: first) ? (parameters.text, guess.paginator) : nil
        foundOthers = foundOthers || open != nil
        let outcome = try await outcome(of: guess, parameters, second)
        open = nil
        return outcome
    }

    private mutating func outcome(
        of guess: PageGuess, _ parameters: [Parameter], _ second: Answer
    ) async throws -> Outcome {
        if guess.isStated { return second.isOther(than: first) ? .right(guess.paginator, parameters) : .wrong }
        switch guess.way {
        case .number(var method) where guess.isOfURL:
            guard second.isOther(than: first) else { return .wrong }
            // Another value may choose other records. The second page of one record has one of the first page.
            method.pageSize = 1
            let one = try await ask(with: method.parameters(for: method.basePage + 1))
            return one.isPart(of: first) ? .right(guess.paginator, parameters) : .wrong
        case .number(let method):
            if second == .records(first) { ignoresNumber = true } else { heedsOne = true }
            return try await base(of: guess, method, behind: second)
        case .offset(let method):
            if second == .records(first) { ignoresOffset = true } else { heedsOne = true }
            let mayBeAll = method.baseOffset == 1 && second.isEmpty
            guard mayBeAll || second.isOther(than: first) else { return .wrong }
            // Where an offset counts pages, the one before would lead to quite other records, too.
            if !mayBeAll {
                let overlap = try await ask(with: method.parameters(skipping: first.count - 1))
                guard overlap.contains(first.last) else { return .wrong }
            }
            // A page that begins with 1 lacks a record if the list counts from 0.
            if method.baseOffset == 1, case .records(let zero) = try await ask(with: method.parameters(skipping: -1)),
                !zero.isSubset(of: first)
            {
                return .wrong
            }
            return mayBeAll
                ? .right(guess.paginator, remark: "the API gives these records from 1 on, and none behind them")
                : .right(guess.paginator, parameters)
        case .cursor, .headerCursor:
            guard second.isOther(than: first) else { return .wrong }
            // A list that differs with each request proves nothing.
            return try await ask(with: []) == .records(first)
                ? .right(guess.paginator, parameters) : .changing
        }
    }

    /// Finds the number of the first page, which was asked for without one.
    private mutating func base(
        of guess: PageGuess, _ method: Paginator.PageNumber, behind second: Answer
    ) async throws -> Outcome {
        guard second.isOther(than: first) || second.isEmpty else { return .wrong }
        let one = try await ask(with: method.parameters(for: 1))
        if one == .records(first) {
            let paginator = guess.paginator(method, from: 1)
            return second.isEmpty
                ? .right(paginator, remark: "the API gives these records as page 1, and none as page 2")
                : .right(paginator, method.parameters(for: 2))
        }
        guard one.isOther(than: first) else {
            guard second.isEmpty else { return .changing }
            // The URL or the page says that it is page 0, which may be the only one.
            guard one.isEmpty, method.basePage == 0,
                try await ask(with: method.parameters(for: 0)) == .records(first)
            else { return .wrong }
            return .right(
                guess.paginator(method, from: 0),
                remark: "the API gives these records as page 0, and none as page 1")
        }
        foundOthers = true
        return try await ask(with: method.parameters(for: 0)) == .records(first)
            ? .right(guess.paginator(method, from: 0), method.parameters(for: 1)) : .changing
    }

    enum Answer: Equatable {
        case records(RecordIdentities)
        /// The server does not know the parameter, or there are no records.
        case none

        var isEmpty: Bool {
            switch self {
            case .records(let records): records.count == 0
            case .none: true
            }
        }

        func isOther(than first: RecordIdentities) -> Bool {
            guard case .records(let records) = self else { return false }
            return records.count > 0 && records.isDisjoint(with: first)
        }

        func isPart(of first: RecordIdentities) -> Bool {
            guard case .records(let records) = self else { return false }
            return records.count > 0 && records.count < first.count && records.isSubset(of: first)
        }

        func contains(_ record: String?) -> Bool {
            guard case .records(let records) = self, let record else { return false }
            return records.contains(record)
        }
    }

    mutating func ask(with parameters: [Parameter]) async throws -> Answer {
        guard left > 0 else { throw NoneLeft() }
        left -= 1
        var asking = stream
        asking.retry.maxAttempts = 1
        asking.request.path = asking.request.path.removing(parameters.map(\.name))
        asking.request.params.removeAll { parameter in parameters.contains { $0.name == parameter.name } }
        asking.request.params += parameters.map {
            .init(name: $0.name, value: .literal($0.value))
        }
        do {
            let sample = try await PageSample.fetch(asking, over: access)
            return .records(RecordIdentities(of: try sample.records.selection, stream, key: first.key))
        } catch let error as FetchError where error.kind.isRejection {
            return .none
        }
    }
}

extension Paginator {
    /// The paginator that reads on until a page has no records, whatever total the pages state.
    fileprivate var ignoringTotal: Paginator {
        var paginator = self
        paginator.limits.ignoresTotal = true
        switch kind.method {
        case let method as PageNumber: paginator.kind = .pageNumber(method.ignoringTotals())
        case let method as Offset: paginator.kind = .offset(method.ignoringTotals())
        default: break
        }
        return paginator
    }
}

private typealias Parameter = (name: String, value: String)

extension String {
    /// Returns the path without these parameters of its query, which would be sent beside others of their names.
    fileprivate func removing(_ names: [String]) -> String {
        let parts = split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return self }
        let kept = parts[1].split(separator: "&").filter { !names.contains(String($0.prefix { $0 != "=" })) }
        return "\(parts[0])\(kept.isEmpty ? "" : "?")\(kept.joined(separator: "&"))"
    }
}

extension [(name: String, value: String)] {
    fileprivate var text: String { map { "\($0.name)=\($0.value)" }.joined(separator: "&") }
}

extension PageGuess {
    /// The parameters that request the second page.
    fileprivate func parameters(behind first: RecordIdentities) -> [Parameter] {
        switch way {
        case .number(let method): method.parameters(for: isStated || isOfURL ? method.basePage + 1 : 2)
        case .offset(let method): method.parameters(skipping: first.count)
        case .cursor(let method, let value): [(name: "\(method.cursorParam)", value: value)]
        case .headerCursor(let method, let value): [(name: "\(method.cursorParam)", value: value)]
        }
    }
}

extension Paginator.PageNumber {
    fileprivate func parameters(for page: Int) -> [Parameter] {
        let size = pageSize.flatMap { size in pageSizeParam.map { (name: "\($0)", value: "\(size)") } }
        return [(name: "\(pageParam)", value: "\(page)")] + [size].compactMap(\.self)
    }
}

extension Paginator.Offset {
    fileprivate func parameters(skipping count: Int) -> [Parameter] {
        let offset = count &+ (baseOffset ?? 0)
        return [(name: "\(offsetParam)", value: "\(offset)"), (name: "\(limitParam)", value: "\(limit)")]
    }
}

/// The identities that tell the records of a page apart.
private struct RecordIdentities: Equatable {
    let key: String?
    /// The number of records.
    let count: Int
    let last: String?
    private let values: Set<String>

    /// - Parameter key: The field that identifies a record; nil to find it among these records.
    init(of records: Selection, _ stream: StreamConfiguration, key: String? = nil) {
        let key = key ?? KeyInference.key(of: stream, in: records)
        var values: [String] = []
        records.forEach { node in
            values.append(key.flatMap { node[$0]?.text } ?? String(decoding: node.utf8, as: UTF8.self))
        }
        (self.key, count, last, self.values) = (key, values.count, values.last, Set(values))
    }

    func isDisjoint(with other: Self) -> Bool { values.isDisjoint(with: other.values) }

    func isSubset(of other: Self) -> Bool { values.isSubset(of: other.values) }

    func contains(_ record: String) -> Bool { values.contains(record) }
}

extension FetchError.Kind {
    /// True if the server has answered and rejects this kind of request.
    fileprivate var isRejection: Bool {
        switch self {
        case .status(let status, _): [400, 404, 405, 410, 414, 416, 422].contains(status)
        case .refusal, .missingPath, .noArray, .scalar, .emptyBody: true
        default: false
        }
    }
}
