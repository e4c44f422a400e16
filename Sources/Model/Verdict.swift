/// The degree to which a read has returned everything it asked for.
package enum Completeness: String, Sendable, CaseIterable {
    case complete, unknown, partial
}

/// The judgement on a read: how complete it is, and how that is known.
///
/// ```swift
/// let verdict = Verdict(.missed, .left(records: 40, of: 800))
/// verdict.completeness  // .partial
/// verdict.reason        // "40 of 800 records"
/// ```
package struct Verdict: Sendable {
    package var kind: Kind
    /// The cause; nil if nothing is missing.
    package var cause: Cause?

    package init(_ kind: Kind, _ cause: Cause? = nil) {
        self.kind = kind
        self.cause = cause
    }

    /// Creates a judgement with words of its own. Nil stands for none.
    package init(_ kind: Kind, _ finding: String?, advice: String? = nil) {
        self.init(kind, finding.map { .told($0, advice: advice) })
    }

    /// A short phrase for people, such as "40 of 800 records", with the advice; nil if nothing is missing.
    package var reason: String? { cause?.words }

    package static let complete = Verdict(.complete)
    /// Pages of one read state different totals.
    package static let totalChanged = Verdict(.contradicted, .totalChanged)
    /// A list was read from its newest record down to those of earlier reads.
    package static let known = Verdict(.chosen, "stop_at_known: older records were read before")

    /// The source has nothing newer than what the request's own condition names. The rows and the cursor stay.
    package static let nothingNew = Verdict(
        .silent, "HTTP 304 says that nothing is new", advice: "the rows and the cursor stay as they are")

    /// The ways in which a read can end, from the best to the worst.
    package enum Kind: String, Sendable, CaseIterable {
        /// Everything that was asked for has come.
        case complete
        /// The body is a single record, which has come. It says nothing of other records.
        case document
        /// The source does not say whether there is more.
        case silent
        /// The source contradicts itself, or says something that is not understood.
        case contradicted
        /// A part was left out because the configuration or the command asks for it.
        case chosen
        /// A part is missing, although nobody asked for that.
        case missed

        package var completeness: Completeness {
            switch self {
            case .complete, .document: .complete
            case .silent, .contradicted: .unknown
            case .chosen, .missed: .partial
            }
        }
    }

    package var completeness: Completeness { kind.completeness }

    /// Returns the worse of two verdicts, or this one if neither is.
    package func worse(_ other: Verdict) -> Verdict { other.rank > rank ? other : self }

    private var rank: Int {
        switch kind {
        case .complete: 0
        case .document: 1
        // Nothing that it should have read is missing, so a doubt about another part is worse.
        case .chosen where self == .known: 2
        case .silent: self == .nothingNew ? 4 : 3
        case .contradicted: 5
        case .chosen: 6
        case .missed: 7
        }
    }
}

/// Verdicts are equal if they say the same, so that a stored one equals the one that was stored.
extension Verdict: Hashable {
    package static func == (left: Verdict, right: Verdict) -> Bool {
        left.kind == right.kind && left.reason == right.reason
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(reason)
    }
}

extension Verdict {
    /// Why a read is not known to be complete.
    package enum Cause: Sendable, Hashable {
        /// Fewer records came than are announced.
        case left(records: Int, of: Int)
        case leftPages(pages: Int, of: Int)
        /// A place tells of another page that was not read.
        case announced(place: String)
        /// The list ended, by its own words, before the announced number.
        case endedBefore(announced: String, read: Int)
        /// More records came than are announced, and nothing else says that these are all.
        case exceeded(announced: Int, records: Int)
        case totalChanged
        /// A value that should lead to another page is not understood.
        case notUnderstood(place: String, value: String)
        /// A value may lead to more records, although nothing tells how.
        case mayLeadOn(place: String)
        /// The answer tells of errors beside its records.
        case errors(place: String)
        /// The answer says of itself that a part is missing.
        case partMissing(place: String, value: String)
        /// The last page says that there is more, without a way to ask for it.
        case cutOff(place: String, value: String)
        /// The first page says that others lie before it.
        case pagesBefore(place: String, value: String)
        /// A page has, by its own words, another number than the one that was asked for.
        case otherPage(place: String, number: String)
        /// The server refused the next page, or answered without a list, and nothing says if the page before was the last.
        case noSuchPage(answer: String)
        /// Nothing says that these are all records.
        case silent(records: Int)
        /// The only page has as many records as a full page often has.
        case looksFull(records: Int)
        /// The cause in words, without values.
        case told(String, advice: String? = nil)

        /// Reads the words of a stored cause, which has its advice behind a semicolon outside of brackets.
        package init(stored words: String) {
            // The search for a text of several characters is slow, and most causes have no advice.
            guard words.utf8.contains(UInt8(ascii: ";")), let stop = Self.end(ofFindingIn: words) else {
                self = .told(words)
                return
            }
            self = .told(String(words[..<stop.lowerBound]), advice: String(words[stop.upperBound...]))
        }

        private static func end(ofFindingIn words: String) -> Range<String.Index>? {
            words.ranges(of: "; ").first { stop in
                let before = words[..<stop.lowerBound].utf8
                return before.count { $0 == UInt8(ascii: "(") } <= before.count { $0 == UInt8(ascii: ")") }
            }
        }

        /// True if the answer says something of itself that earlier versions did not know.
        package var isAnswersOwn: Bool {
            switch self {
            case .notUnderstood, .mayLeadOn, .partMissing, .cutOff, .pagesBefore, .otherPage: true
            default: false
            }
        }

        /// The cause in words, with the advice.
        package var words: String { [finding, advice].compactMap(\.self).joined(separator: "; ") }

        /// The cause in words, without the advice. Only this and `advice` have words.
        package var finding: String {
            switch self {
            case .left(let records, let all): "\(records) of \(all) records"
            case .leftPages(let pages, let all): "\(pages) of \(all) pages"
            case .announced(let place): "\(place) tells of another page"
            case .endedBefore(let announced, let read): "\(announced) announced, ended after \(read)"
            case .exceeded(let announced, let records):
                "\(announced.counted("record")) announced, \(records) came, and nothing else says that these are all"
            case .totalChanged: "the total changed while the pages were read"
            case .notUnderstood(let place, let value): "\(place) is \(value), which is not understood"
            case .mayLeadOn(let place): "\(place) may lead to more records"
            case .errors(let place): "\(place) tells of an error beside the records"
            case .partMissing(let place, let value):
                "\(place) is \(value): the answer says that a part is missing"
            case .cutOff(let place, let value): "\(place) is \(value): the last page says that there is more"
            case .pagesBefore(let place, let value):
                "\(place) is \(value): other pages lie before the first one that was asked for"
            case .otherPage(let place, let number): "\(place) is \(number), and another page was asked for"
            case .noSuchPage(let answer):
                "the server answered \(answer) to the next page, and nothing says whether the one before was the last"
            case .silent(let records): "no sign of the end after \(records.counted("record"))"
            case .looksFull(let records): "\(records.counted("record")) are as many as a full page often has"
            case .told(let finding, _): finding
            }
        }

        /// Says what to do, or what the next sync does; nil if that depends on the configuration.
        package var advice: String? {
            switch self {
            case .left, .leftPages, .announced, .endedBefore, .exceeded, .silent, .looksFull: nil
            case .totalChanged:
                "the next sync reads all pages again; set ignore_total: true in paginator if that total always changes"
            case .notUnderstood(let place, let value)
            where place.wholeMatch(of: /\$[\w.]*next\w*/.ignoresCase()) != nil && (Int(value) ?? 0) > 0:
                "if it is the number of the next page, write paginator: { type: cursor, cursor_path: \(place), cursor_param: page }, "
                    + "or \(Self.ignoring(place, "it says nothing of the pages"))"
            case .notUnderstood(let place, _):
                "set paginator to what leads to the next page, or \(Self.ignoring(place, "it says nothing of the pages"))"
            case .mayLeadOn(let place):
                "ask 'garner init --update', set paginator to what leads to them, or \(Self.ignoring(place, "there are none"))"
            case .errors(let place):
                "look at it in what the source answers, or \(Self.ignoring(place, "that is always so"))"
            case .partMissing(let place, _): Self.ignoring(place, "that is always so")
            case .cutOff(let place, _): "ask for smaller parts, or \(Self.ignoring(place, "that is always so"))"
            case .pagesBefore(let place, _):
                "begin with a lower number, such as base_page: 0 in paginator, or \(Self.ignoring(place, "that is always so"))"
            case .otherPage(let place, _):
                "look whether a cache answers for the source, or \(Self.ignoring(place, "it is no page number"))"
            case .noSuchPage(let answer):
                "set the paginator's total_path, has_more_path or last_when if an answer says it"
                    + (answer.wholeMatch(of: /HTTP ([0-9]+)/).map {
                        ", or response_actions: [ { status: \($0.1), action: end } ] in the stream if its lists always end so"
                    } ?? "")
            case .told(_, let advice): advice
            }
        }

        /// The advice that settles a value which the source always gets wrong.
        package static func ignoring(_ place: String, _ condition: String) -> String {
            "add ignore: [\"\(place)\"] to paginator if \(condition)"
        }
    }
}

/// The findings of a stream's earlier reads that the judgement on the next one needs.
package struct ReadContext: Sendable, Hashable {
    /// True if the stream has no table yet, so that a failure cannot harm a working copy.
    package var isFirst: Bool
    /// True if Garner 0.1 created the table, whose `auto` followed fewer kinds of pagination; no other kind is followed.
    package var followsAsBefore: Bool
    /// The number of records on a first page of the same `readIdentity` that led to another one; nil if none did.
    package var fullPage: Int?
    /// True if an earlier read of the same `readIdentity` ended without a sign of further records.
    package var hasEndedWithoutMore: Bool
    /// True if the latest read that ended so was of another `readIdentity`: the stream asks for other things than then.
    package var asksAnew = false
    /// The shape of the latest first page with records, as JSON that only the fetcher reads; nil if none is known.
    package var shape: String?
    /// The fields that the configuration names, once a read has looked for them in all its pages: true for those that a record had.
    package var namedFields: [String: Bool] = [:]

    package init(
        isFirst: Bool = true, followsAsBefore: Bool = false, fullPage: Int? = nil,
        hasEndedWithoutMore: Bool = false, shape: String? = nil
    ) {
        self.isFirst = isFirst
        self.followsAsBefore = followsAsBefore
        self.fullPage = fullPage
        self.hasEndedWithoutMore = hasEndedWithoutMore
        self.shape = shape
    }
}

extension Int {
    /// Returns the number with its noun: `1 record`, `2 records`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
