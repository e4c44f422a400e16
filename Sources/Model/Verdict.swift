/// How much of what a read asked for has come.
package enum Completeness: String, Sendable, CaseIterable {
    case complete, unknown, partial
}

/// The judgement on a read: how much of what it asked for has come, and how that is known.
///
/// ```swift
/// let verdict = Verdict(.missed, "40 of 800 records")
/// verdict.completeness  // .partial
/// ```
package struct Verdict: Sendable, Hashable {
    package var kind: Kind
    /// A short phrase for people, such as "40 of 800 records"; nil where nothing is missing.
    package var reason: String?

    package init(_ kind: Kind, _ reason: String? = nil) {
        self.kind = kind
        self.reason = reason
    }

    package static let complete = Verdict(.complete)

    /// The ways in which a read can end, from the best to the worst.
    package enum Kind: String, Sendable, CaseIterable, Comparable {
        /// All that was asked for is known to have come.
        case complete
        /// The whole body is the one record, which has come; it says nothing of other records.
        case document
        /// The source did not say whether there is more.
        case silent
        /// The source contradicts itself: a total or a key does not agree with what came.
        case contradicted
        /// A part was left out because the configuration or the command asked for that.
        case chosen
        /// A part is known to be missing, although nobody asked for that.
        case missed

        package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .complete: 0
            case .document: 1
            case .silent: 2
            case .contradicted: 3
            case .chosen: 4
            case .missed: 5
            }
        }

        package var completeness: Completeness {
            switch self {
            case .complete, .document: .complete
            case .silent, .contradicted: .unknown
            case .chosen, .missed: .partial
            }
        }
    }

    package var completeness: Completeness { kind.completeness }

    /// The worse of two; of two of the same kind the first.
    package func worse(_ other: Verdict) -> Verdict { other.kind > kind ? other : self }
}
