extension StreamKey {
    /// How records are stored.
    static let storing: [StreamKey] = [
        StreamKey(
            Field("table", .text, "The table that the records are stored in; by default the stream's name."),
            on: [.stream], to: \.stream.table, show: { .value(.text($0)) }, read: { $0.name($1) }),
        StreamKey(
            Field("record_selector", .jsonPath, "Where the records are in a response; found by itself in most."),
            toOptional: \.stream.recordSelector, unset: .automatic, show: { .value(.text($0)) },
            read: { $0.jsonPath($1) }),
        StreamKey(
            Field("primary_key", .texts, "The fields that identify a record; found by itself in most."),
            toOptional: \.stream.primaryKey, unset: .automatic, show: { .value(.list($0)) },
            read: { $0.fieldNames($1) }),
        StreamKey(
            Field(
                "write_disposition", .choice(WriteDisposition.allCases.map(\.rawValue)),
                "Whether records update stored ones, by default where they have a key, or replace all of them."),
            toOptional: \.stream.writeDisposition, unset: .automatic, show: { .value(.text($0.rawValue)) },
            read: { $1.choice(WriteDisposition.allCases) }),
        StreamKey(
            Field(
                "merge_strategy", .choice(MergeStrategy.allCases.map(\.rawValue)),
                "Whether a record updates the row with its key, or leaves it as it is."),
            to: \.stream.mergeStrategy, show: { .value(.text($0.rawValue)) },
            read: { $1.choice(MergeStrategy.allCases) }),
        StreamKey(
            Field(
                "delete_missing", .choice(DeleteMissing.allCases.map(\.rawValue)),
                "What happens to stored records that a complete read did not return."),
            to: \.stream.deleteMissing, show: { .value(.text($0.rawValue)) },
            read: { $1.choice(DeleteMissing.allCases) }),
        StreamKey(
            Field("dedupe", .flag, "Whether records are told apart by their content, as those without a key."),
            to: \.stream.dedupes, show: { .value(.flag($0)) }, read: { $1.flag() }),
        StreamKey(
            Field("max_delete_ratio", .number(0...1), "The largest part of a table that one run may delete."),
            toOptional: \.stream.maxDeleteRatio, unset: .automatic, show: { .value(.number($0)) },
            read: { $1.number(in: 0...1) }),
        StreamKey(
            Field("flatten_depth", .integer(0...16), "How many levels of nested objects become columns."),
            to: \.stream.flattenDepth, show: { .value(.integer($0)) }, read: { $1.integer(in: 0...16) }),
        StreamKey(
            Field("child_tables", .flag, "Whether arrays of objects become tables of their own."),
            to: \.stream.childTables, show: { .value(.flag($0)) }, read: { $1.flag() }),
        .schemaContract,
        StreamKey(
            Field("history", .flag, "Whether versions of the rows are kept, so that what was can be asked for."),
            to: \.stream.history, show: { .value(.flag($0)) }, read: { $1.flag() }),
        StreamKey(
            Field("search", .texts, "The fields whose texts 'garner search' finds."),
            on: [.stream], to: \.stream.search, show: { $0.isEmpty ? .members([]) : .value(.list($0)) },
            read: { $0.fieldNames($1) }),
        StreamKey(
            Field("keep_runs", .integer(0...Int.max), "How many of a stream's latest runs are kept; 0 keeps all."),
            to: \.stream.keepRuns, show: { .value(.integer($0)) }, read: { $1.integer(in: 0...Int.max) }),
    ]
}
