package import GarnerModel
import GarnerYAML

/// The stream from whose records another stream makes its requests.
package struct Parent: Sendable, Equatable {
    package var stream: StreamName
    /// Fields of the parent's record that are stored with each of its children.
    package var include: [String]
    /// The records for which a read sends requests.
    package var only: Only
    /// The SQL condition that the parent's rows must meet; nil for all rows.
    package var condition: String?
    /// The time after which a read sends requests for all records again, although `only` is `changed`; nil for never.
    package var fullRefreshEvery: Duration?

    package init(
        stream: StreamName, include: [String] = [], only: Only = .all, condition: String? = nil,
        fullRefreshEvery: Duration? = nil
    ) {
        self.stream = stream
        self.include = include
        self.only = only
        self.condition = condition
        self.fullRefreshEvery = fullRefreshEvery
    }

    package enum Only: String, Sendable, CaseIterable {
        case all
        /// The records that Garner has inserted or updated since it read their children.
        case changed
    }
}

/// The key `parent` as it is written: a name, or a mapping.
struct WrittenParent: Sendable {
    /// `stream`, or `source.stream`.
    var stream: String
    var only = Parent.Only.all
    var condition: String?
    var fullRefreshEvery: Duration?

    static let format = ValueFormat<Self>(
        schema: .anyOf([.text, mapping.schema]),
        read: { reader, value in
            if value.isList {
                return value.failed(
                    "'\(value.name)' is a list, and a stream has one parent",
                    hint: "write parent: NAME, and a stream of its own for each of the others")
            }
            return value.node.mapping == nil
                ? reader.name(value).map { WrittenParent(stream: $0) } : WrittenParent.mapping.read(reader, value)
        },
        show: { parent in
            parent.isPlain ? .value(.text(parent.stream)) : WrittenParent.mapping.show(parent)
        })

    private static let mapping = keys.format(
        hint: "write parent: orders, or parent: { stream: orders, only: changed }",
        elsewhere: ForeignWords.hints([
            (
                "columns fields include include_fields",
                "write include_from_parent: [«status»] in the stream, beside 'parent'"
            )
        ]))

    private static let keys = Keys(
        Self(stream: ""),
        Key("stream", .name, to: \.stream, required: "add 'stream: orders'", "The parent, as stream or source.stream."),
        Key("only", .choice, to: \.only, "The records to send requests for: all, or changed ones; default: all."),
        Key(
            "where", .optional(.name), to: \.condition,
            "The SQL condition on the parent's rows, such as status = 'open'."),
        Key(
            "full_refresh_every", .optional(.duration()), to: \.fullRefreshEvery,
            "The time after which all records are due again.")
    ) { _, mapping, parent in
        if parent.only == .all, let place = mapping["full_refresh_every"] {
            place.fail("'parent.full_refresh_every' needs 'only: changed'", hint: "add 'only: changed', or remove it")
        }
    }

    private var isPlain: Bool { only == .all && condition == nil && fullRefreshEvery == nil }
}
