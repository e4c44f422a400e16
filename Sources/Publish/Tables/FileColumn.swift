package import GarnerModel

/// A column of a stream's table in the file, as far as its values decide what is published.
package struct FileColumn: Sendable, Equatable {
    package enum Role: String, Sendable {
        case value
        /// `_garner_rest`.
        case rest
        /// `_garner_deleted_at`.
        case deletedAt
    }

    package var name: String
    /// The declared type; nil while there was no value.
    package var type: ColumnType?
    package var role: Role
    /// The position in the primary key, from 0; nil outside of it.
    package var keyPosition: Int?
    /// True if `fields.types` names `numeric`.
    package var isNumeric: Bool
    /// True if all texts are instants, see `InstantText.isUsual`.
    package var holdsInstants: Bool

    package init(
        _ name: String, _ type: ColumnType?, role: Role = .value, keyPosition: Int? = nil, isNumeric: Bool = false,
        holdsInstants: Bool = false
    ) {
        (self.name, self.type, self.role, self.keyPosition) = (name, type, role, keyPosition)
        (self.isNumeric, self.holdsInstants) = (isNumeric, holdsInstants)
    }

    /// The type that a new published column gets; nil if there is no value yet.
    package var publishedType: PublishedType? {
        switch role {
        case .rest: return .jsonb
        case .deletedAt: return .timestamptz
        case .value: break
        }
        guard let type else { return nil }
        if isNumeric, type != .json, type != .boolean { return .numeric }
        return switch type {
        case .boolean: .boolean
        case .integer: .bigint
        case .real: .double
        // Two texts of one instant, or of equal JSON, are two keys.
        case .json: keyPosition == nil ? .jsonb : .text
        case .text: holdsInstants && keyPosition == nil ? .timestamptz : .text
        }
    }
}
