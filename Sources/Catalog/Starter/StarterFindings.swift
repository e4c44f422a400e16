/// What one page showed of a collection, to be written into its file.
package struct StarterFindings: Sendable, Equatable {
    /// A value, and why it is that one.
    package struct Finding<Value: Sendable & Equatable>: Sendable, Equatable {
        package var value: Value
        /// A sentence without its full stop, for people.
        package var remark: String
        /// Whether a person should look at it.
        package var isDoubtful: Bool

        package init(_ value: Value, _ remark: String, isDoubtful: Bool = false) {
            self.value = value
            self.remark = remark
            self.isDoubtful = isDoubtful
        }
    }

    /// A JSONPath; nil: found in each response.
    package var recordSelector: Finding<String?>
    /// nil: none was found.
    package var primaryKey: Finding<String?>
    package var paginator: Finding<Paginator.Kind>
    /// Fields that seem to grow with every change.
    package var cursorFields: [String]

    package init(
        recordSelector: Finding<String?>, primaryKey: Finding<String?>, paginator: Finding<Paginator.Kind>,
        cursorFields: [String] = []
    ) {
        self.recordSelector = recordSelector
        self.primaryKey = primaryKey
        self.paginator = paginator
        self.cursorFields = cursorFields
    }

    /// What a person should look at, each with the key that it is about.
    package var doubts: [String] {
        [
            (recordSelector.isDoubtful, "record_selector", recordSelector.remark),
            (primaryKey.isDoubtful, "primary_key", primaryKey.remark),
            (paginator.isDoubtful, "paginator", paginator.remark),
        ].filter(\.0).map { "\($0.1): \($0.2)" }
    }
}
