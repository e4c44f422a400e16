import Catalog
import Digest
package import JSON
package import Model

/// One page of a stream's records, checked and complete.
package struct Page: Sendable {
    package let position: PagePosition
    package let content: Content
    /// nil where this was the last page.
    package let next: PagePosition?
    /// How the read has ended; nil where a page follows.
    package let verdict: Verdict?
    /// What stands where the paginator looks was there.
    package let sawPagingPlace: Bool
    /// The page was asked for, or is followed, by its number: records that come or go move others between such pages.
    package let isNumbered: Bool
    /// What it took on the network.
    package let request: RequestEntry
    /// The layout that was found out; nil if the page has not changed.
    package internal(set) var layout: PageLayout?
    /// What to tell with whether the page has changed; nil where that cannot be told.
    package let memory: CachedPage?

    package enum Content: Sendable {
        case records(Selection)
        /// The records are those that were stored with the page's memory.
        case unchanged
    }
}

/// The layout of a page, as far as Garner had to find it out because the configuration does not say it.
package struct PageLayout: Sendable, Equatable {
    /// The JSONPath of what holds the records; nil where the configuration says it.
    package internal(set) var recordsPath: String?
    /// The place of the sign that leads to the next page, such as `Link` or `$.next`; nil if it is configured or nothing follows.
    package internal(set) var nextPage: String?
    package internal(set) var isDocument = false
}

/// What following pages need to know of a page. It is stored with the page's validator, so that an answer of "not
/// modified" stands for the page.
struct PageSummary: Equatable {
    var recordCount: Int
    /// How many records the read had before this page: what follows it may depend on that.
    var recordsBefore: Int
    var place: ReadHistory.Place?
    /// The fingerprint of the records, where the paginator cannot tell from a response which page it is.
    var digest: String?
    /// nil where the page announces none.
    var following: NextPage?
    /// What the page says of the read as a whole.
    var markers = PageMarkers()
    /// How it may be remembered.
    var memory = Memory.full

    /// What a later response may be compared with.
    enum Memory {
        /// Neither: what follows the page stands where neither looks.
        case none
        /// The body; what stands in the head is read anew.
        case body
        /// The body and the server's validator.
        case full
    }
}

// MARK: - As a text

extension PageSummary {
    /// A JSON object.
    var text: String {
        var members = [#""count":\#(recordCount),"before":\#(recordsBefore)"#]
        members += place.map { [$0.member] } ?? []
        if let digest { members.append(#""digest":\#(quoted(digest))"#) }
        if let following {
            members.append(#""next":\#(quoted("\(following.locator.address)"))"#)
            members += following.locator.body.map { [#""body":\#($0)"#] } ?? []
            if following.mayBeMissing { members.append(#""may_be_missing":true"#) }
            if following.mayBeEndless { members.append(#""may_be_endless":true"#) }
            if following.isFromHead { members.append(#""is_from_head":true"#) }
            if following.isNumbered { members.append(#""is_numbered":true"#) }
        }
        members += markers.members
        if memory == .body { members.append(#""is_of_body":true"#) }
        return "{\(members.joined(separator: ","))}"
    }

    /// nil where `text` is none.
    init?(text: String) {
        guard let document = try? Document(parsing: Bytes(text.utf8)) else { return nil }
        let summary = document.withRoot { PageSummary(stored: $0) }
        guard let summary else { return nil }
        self = summary
    }

    private init?(stored root: Node) {
        guard let count = root["count"]?.storedCount, let before = root["before"]?.storedCount else { return nil }
        recordCount = count
        recordsBefore = before
        place = ReadHistory.Place(stored: root)
        digest = root["digest"]?.string
        markers = PageMarkers(stored: root)
        memory = root["is_of_body"]?.kind == .true ? .body : .full
        guard let next = root["next"]?.string else { return }
        guard let address = WebAddress(next) else { return nil }
        following = NextPage(
            locator: PageLocator(address: address, body: root["body"].map(BodyValue.init)),
            mayBeMissing: root["may_be_missing"]?.kind == .true,
            mayBeEndless: root["may_be_endless"]?.kind == .true, isFromHead: root["is_from_head"]?.kind == .true,
            isNumbered: root["is_numbered"]?.kind == .true)
    }
}

/// A page's memory, read.
struct ParsedCachedPage {
    let memory: CachedPage
    let validator: Validator?
    let fingerprint: Fingerprint?
    let summary: PageSummary

    /// nil where the memory does not stand for the page at this position of the read.
    init?(_ memory: CachedPage, at position: PagePosition) {
        let validator = memory.validator.flatMap(Validator.init(text:))
        let fingerprint = memory.fingerprint.flatMap(Fingerprint.init(text:))
        guard validator != nil || fingerprint != nil, let summary = PageSummary(text: memory.summary),
            summary.recordsBefore == position.history.records
        else { return nil }
        self.memory = memory
        self.validator = validator
        self.fingerprint = fingerprint
        self.summary = summary
    }
}
