import GarnerCatalog
import GarnerDigest
package import GarnerJSON
package import GarnerModel

/// One page of a stream's records, checked and complete.
@dynamicMemberLookup
package struct Page: Sendable {
    package let position: PagePosition
    package let content: Content
    /// The records behind those of `content`, if a long page comes in pieces; nil if these are all.
    package internal(set) var later: LaterRecords?
    package var facts: PageFacts
    /// The fingerprint of the records before they were shaped; nil if there are none, or if the page is the last one.
    package internal(set) var digest: String?
    /// The fields that the configuration names and no record of the page has.
    package internal(set) var unseenFields: [UnseenField] = []
    /// The position of the next page; nil after the last page.
    package private(set) var next: PagePosition?
    /// The judgement on the read; nil if a page follows.
    package private(set) var verdict: Verdict?
    /// True if the server has refused the page, or has answered without a list, which ends a read behind its last page.
    package let isRefused: Bool
    /// True if the answer is 204, null, an empty object or no byte in the place of a list that had records, or an empty list that
    /// the server names as it named one with records.
    package var isNothing = false
    /// The statements of the answer about its request.
    package internal(set) var echoes: [RequestEcho] = []
    /// The address to which redirects led from the first page of one of several lists; nil if none did.
    package internal(set) var reached: String?
    /// The network activity of the page's request.
    package let request: RequestEntry
    /// A warning about the page, which came all the same; nil if there is none.
    package internal(set) var warning: String?
    /// The layout that was detected; nil if the page has not changed.
    package internal(set) var layout: PageLayout?
    /// The reason why it is not clear that these are all records of the page; nil if it is. The verdict of a last page has it, too.
    package internal(set) var doubt: Verdict?

    package enum Content: Sendable {
        case records(Selection)
        /// The records are the ones that were stored with the page's memory.
        case unchanged
    }

    /// Makes this the last page of the read, although another one follows.
    package mutating func end(_ verdict: Verdict) {
        next = nil
        self.verdict = verdict
    }

    /// Notes that the page may be another one than was asked for. It is not known again by what it was.
    package mutating func note(_ doubt: Verdict) {
        self.doubt = self.doubt?.worse(doubt) ?? doubt
        facts.memory = nil
        verdict = verdict?.worse(doubt)
    }

    package subscript<Value>(dynamicMember fact: WritableKeyPath<PageFacts, Value>) -> Value {
        get { facts[keyPath: fact] }
        set { facts[keyPath: fact] = newValue }
    }

    /// The number of its records that are stored or deleted; 0 if it has not changed.
    package var recordCount: Int {
        guard case .records(let records) = content else { return 0 }
        return records.count + (later?.count ?? 0)
    }

    /// Calls `body` with the records of each piece. Throws what it throws, and if they cannot be read.
    package func forEachPiece(_ body: (Selection) throws -> Void) throws {
        guard case .records(let records) = content else { return }
        try body(records)
        try later?.forEach { try body($0.records) }
    }

    /// Lets the next read ask for the whole page if this one has no records.
    package mutating func forgetIfEmpty() {
        if case .records = content, recordCount == 0 { facts.memory = nil }
    }
}

/// The parts of a page's layout that Garner detected because the configuration does not name them.
package struct PageLayout: Sendable, Equatable {
    /// The JSONPath of the value that holds the records; nil if it is configured.
    package internal(set) var recordsPath: String?
    /// The place that leads to the next page, such as `Link` or `$.next`; nil if it is configured, or for the last page.
    package internal(set) var nextPage: String?
    package internal(set) var isDocument = false
}

/// The facts about a page that the pages after it need. They are stored with the page's validator, so that they are
/// known when the server answers "not modified".
struct PageSummary: Equatable {
    var recordCount: Int
    /// The number of records that the read had before this page. The next page may depend on it.
    var recordsBefore: Int
    var place: ReadHistory.Place?
    /// The fingerprint of the records; nil if the paginator can tell from a response which page it is.
    var digest: String?
    /// A digest of the names that the first rows have; nil if no row has names.
    var rowNames: String?
    /// The next page; nil if the page announces none.
    var following: NextPage?
    /// The page's statements about the whole read.
    var markers = PageMarkers()
    /// The parts of the response that may be stored for comparison.
    var memory = Memory.full
    /// The statements of the answer about its request. Those of its list are stored.
    var echoes: [RequestEcho] = []

    // The rest is not stored with the page.

    /// The status members that cannot be judged by themselves.
    var statuses: [String: String] = [:]
    /// A digest of the path to which a redirect led; nil if none led to another one.
    var redirect: String?
    /// What the server tells people.
    var remark: ServerRemark?
    /// The place of a member that stands twice with other values.
    var doubled: String?
    /// The words on totals and flags that the configuration names and the page does not have.
    var doubtOnPlaces: String?

    /// The parts of the response with which a later response may be compared.
    enum Memory {
        /// Nothing: the next page depends on more than the body and the validator tell.
        case none
        /// The body. The head must be read anew.
        case body
        /// The body and the server's validator.
        case full
    }
}

// MARK: - As a text

extension PageSummary {
    /// The summary as a JSON object.
    var text: String {
        var members: [(String, JSONText)] = []
        members.add("count", recordCount)
        members.add("before", recordsBefore)
        if let place { members.append(place.member) }
        members.add("digest", digest)
        members.add("row_names", rowNames)
        if let following {
            members.add("next", "\(following.locator.address)")
            if let body = following.locator.body { members.append(("body", body.json)) }
            if let value = following.locator.pageValue { members.append(("page_value", value.json)) }
            members.add("may_be_missing", if: following.mayBeMissing)
            members.add("may_be_endless", if: following.mayBeEndless)
            members.add("is_from_head", if: following.isFromHead)
            members.add("is_numbered", if: following.isNumbered)
            members.add("is_by_cursor", if: following.isByCursor)
        }
        members += markers.members
        members.add("is_of_body", if: memory == .body)
        let names = echoes.compactMap(\.json)
        if !names.isEmpty { members.append(("names", .array(names))) }
        return JSONText.object(members).text
    }

    /// Returns nil if the text is not a stored summary.
    init?(text: String) {
        guard let document = try? Document(parsing: Bytes(text.utf8)) else { return nil }
        let summary = document.withRoot { PageSummary(stored: $0) }
        guard let summary else { return nil }
        self = summary
    }

    private init?(stored root: Node) {
        // Earlier versions did not keep the place of an error, so the page is read again.
        guard let count = root["count"]?.storedCount, let before = root["before"]?.storedCount,
            root["has_errors"] == nil
        else { return nil }
        recordCount = count
        recordsBefore = before
        place = ReadHistory.Place(stored: root)
        digest = root["digest"]?.string
        rowNames = root["row_names"]?.string
        markers = PageMarkers(stored: root)
        memory = root["is_of_body"]?.kind == .true ? .body : .full
        // Earlier versions did not keep the fingerprint of the records beside a name.
        let names = root["names"]?.elements.map(RequestEcho.init(stored:)) ?? []
        guard !names.contains(nil) else { return nil }
        echoes = names.compactMap(\.self)
        guard let next = root["next"]?.string else { return }
        guard let address = WebAddress(next) else { return nil }
        following = NextPage(
            locator: PageLocator(address: address, body: root["body"].map(BodyValue.init)),
            mayBeMissing: root["may_be_missing"]?.kind == .true,
            mayBeEndless: root["may_be_endless"]?.kind == .true, isFromHead: root["is_from_head"]?.kind == .true,
            isNumbered: root["is_numbered"]?.kind == .true, isByCursor: root["is_by_cursor"]?.kind == .true)
        following?.locator.pageValue = root["page_value"].map(BodyValue.init)
    }
}

/// A page's stored memory in its parsed form.
package struct ParsedCachedPage: Sendable {
    let memory: CachedPage
    let validator: Validator?
    let fingerprint: Fingerprint?
    let summary: PageSummary

    /// Returns nil if the memory is unreadable.
    package init?(_ memory: CachedPage) {
        let validator = memory.validator.flatMap(Validator.init(text:))
        let fingerprint = memory.fingerprint.flatMap(Fingerprint.init(text:))
        guard let summary = PageSummary(text: memory.summary) else { return nil }
        self.memory = memory
        self.validator = validator
        self.fingerprint = fingerprint
        self.summary = summary
    }

    /// True if it is the memory of the page at this position of the read.
    func belongs(to position: PagePosition) -> Bool { summary.recordsBefore == position.history.records }

    /// The detected place of the page's records; nil if it had none.
    var place: ReadHistory.Place? { summary.recordCount > 0 ? summary.place : nil }

    /// Returns true if the page had records, and the server names its present state as it named that one.
    func hadRecords(under validator: Validator?) -> Bool {
        summary.recordCount > 0 && validator != nil && validator == self.validator
    }

    /// The memory of what the page was, by which no answer counts as unchanged.
    var unidentified: CachedPage { CachedPage(validator: nil, fingerprint: nil, summary: memory.summary) }
}
