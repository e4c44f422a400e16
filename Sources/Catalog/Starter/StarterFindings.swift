/// The layout of a collection as its first page shows it, for the configuration file.
package struct StarterFindings: Sendable, Equatable {
    /// A value, and the reason for it.
    package struct Finding<Value: Sendable & Equatable>: Sendable, Equatable {
        package var value: Value
        /// A sentence without its full stop, for people.
        package var remark: String
        /// True if a person should check the value.
        package var isDoubtful: Bool
        /// True if the page says that there is more, but not how to request it.
        package var tellsOfMore: Bool

        package init(_ value: Value, _ remark: String, isDoubtful: Bool = false, tellsOfMore: Bool = false) {
            self.value = value
            self.remark = remark
            self.isDoubtful = isDoubtful
            self.tellsOfMore = tellsOfMore
        }
    }

    /// The media types to accept, if those of JSON are not enough.
    package var mediaTypes: [String]
    /// The JSONPath of the records; nil if each response decides it.
    package var recordSelector: Finding<String?>
    package var recordShape: RecordShape
    /// The name of the list, if it has one of its own; nil for `data` and the like.
    package var listName: String?
    package var primaryKey: Finding<[String]?>
    /// True if the list has no key and all of it changes between two requests.
    package var replacesTable: Bool
    package var paginator: Finding<Paginator>
    /// The fields that seem to grow with every change.
    package var cursorFields: [CursorField]

    package struct CursorField: Sendable, Hashable {
        package let name: String
        /// The format of its times; nil for a number that counts.
        package let format: DatetimeFormat?

        package init(_ name: String, _ format: DatetimeFormat? = .rfc3339) { (self.name, self.format) = (name, format) }
    }

    package init(
        mediaTypes: [String] = [], recordSelector: Finding<String?>, recordShape: RecordShape = .objects,
        listName: String? = nil,
        primaryKey: Finding<[String]?>, replacesTable: Bool = false,
        paginator: Finding<Paginator>, cursorFields: [CursorField] = []
    ) {
        self.mediaTypes = mediaTypes
        self.recordSelector = recordSelector
        self.recordShape = recordShape
        self.listName = listName
        self.primaryKey = primaryKey
        self.replacesTable = replacesTable
        self.paginator = paginator
        self.cursorFields = cursorFields
    }

    /// The reason to replace the table.
    static let replacing = "all records changed between two requests, so that each sync stores the list anew"

    /// The values that a person should check, each with its key.
    package var doubts: [String] {
        mediaTypes.map { "response: the API sends JSON \($0 == "*/*" ? "without a media type" : "as \($0)")" }
            + [
                (recordSelector.isDoubtful, "record_selector", recordSelector.remark),
                (primaryKey.isDoubtful, "primary_key", primaryKey.remark),
                (replacesTable, "write_disposition", Self.replacing),
                (paginator.isDoubtful, "paginator", paginator.remark),
            ].filter(\.0).map { "\($0.1): \($0.2)" }
    }
}

extension StarterFindings.Finding<Paginator> {
    package init(_ kind: Paginator.Kind, _ remark: String, isDoubtful: Bool = false, tellsOfMore: Bool = false) {
        self.init(Paginator(kind), remark, isDoubtful: isDoubtful, tellsOfMore: tellsOfMore)
    }
}
