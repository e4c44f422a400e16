/// The degree to which a read has returned everything it asked for.
package enum Completeness: String, Sendable, CaseIterable {
    case complete, unknown, partial
}

/// The judgement on a read: how complete it is, and how that is known.
///
/// ```swift
/// let verdict = Verdict(.missed, "40 of 800 records")
/// verdict.completeness  // .partial
/// ```
package struct Verdict: Sendable, Hashable {
    package var kind: Kind
    /// A short phrase for people, such as "40 of 800 records"; nil if nothing is missing.
    package var reason: String?

    package init(_ kind: Kind, _ reason: String? = nil) {
        self.kind = kind
        self.reason = reason
    }

    package static let complete = Verdict(.complete)
    /// Pages of one read state different totals.
    package static let totalChanged = Verdict(
        .contradicted, "the total changed while the pages were read; the next sync reads all pages again")
    /// A list was read from its newest record down to those of earlier reads.
    package static let known = Verdict(.chosen, "stop_at_known: older records were read before")

    /// The ways in which a read can end, from the best to the worst.
    package enum Kind: String, Sendable, CaseIterable {
        /// Everything that was asked for has come.
        case complete
        /// The body is a single record, which has come. It says nothing of other records.
        case document
        /// The source does not say whether there is more.
        case silent
        /// The source contradicts itself: a total or a key does not agree with what came.
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
        case .silent: 3
        case .contradicted: 4
        case .chosen: 5
        case .missed: 6
        }
    }
}

/// The findings of a stream's earlier reads that the judgement on the next one needs.
package struct ReadContext: Sendable, Hashable {
    /// True if the stream has no table yet, so that a failure cannot harm a working copy.
    package var isFirst: Bool
    /// True if Garner 0.1 created the table. Its `auto` followed fewer kinds of pagination; no other kind is
    /// followed.
    package var followsAsBefore: Bool
    /// The number of records on a first page that led to another one, in an earlier read of the same `readIdentity`; nil if
    /// none did.
    package var fullPage: Int?
    /// True if an earlier read of the same `readIdentity` ended without a sign of further records.
    package var hasEndedWithoutMore: Bool
    /// What the latest page with records has shown, as JSON that only the fetcher reads; nil if none is known.
    package var shape: String?

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
