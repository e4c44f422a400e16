extension StreamKey {
    /// What one run of a stream reads.
    static let reading: [StreamKey] = [
        StreamKey(
            Field("parent", .text, "The stream whose records fill in {parent.…}: 'stream', or 'source.stream'."),
            on: [.stream], toOptional: \.parentName, show: { .value(.text($0)) }, read: { $0.name($1) }),
        StreamKey(
            Field("include_from_parent", .texts, "Fields of the parent's record that are stored with its children."),
            on: [.stream], to: \.includedFromParent, show: { $0.isEmpty ? .members([]) : .value(.list($0)) },
            read: { $0.fieldNames($1) }),
        StreamKey(
            Field("partitions", .named(.texts), "Names with the values that fill in {partition.…}, one after another."),
            on: [.stream], to: \.stream.partitions, show: { .members($0.map { ($0.name, .list($0.values)) }) },
            read: { $0.partitions($1) }),
        StreamKey(
            Field(
                "sync_mode", .choice(StreamDraft.SyncMode.allCases.map(\.rawValue)),
                "Whether a run reads everything, or what changed; follows from 'incremental'."),
            toOptional: \.syncMode, show: { .value(.text($0.rawValue)) },
            read: { $1.choice(StreamDraft.SyncMode.allCases) }),
        StreamKey(
            Field(
                "incremental", .mapping(ConfigurationReader.incrementalFields),
                "How a run reads only what changed since the last one."),
            on: [.stream], toOptional: \.stream.incremental, show: { .members($0.effectiveValues) },
            read: { $0.incremental($1) }),
        StreamKey(
            Field(
                "response_actions", .list(.mapping(ConfigurationReader.responseActionFields)),
                "What is done with certain responses; the first that matches counts."),
            to: \.stream.responseActions,
            show: { .members($0.enumerated().map { (String($0), .text($1.effectiveText)) }) },
            read: { $0.responseActions($1) }),
        StreamKey(
            Field(
                "attachments", .list(.mapping(ConfigurationReader.attachmentFields)),
                "Fields that hold the URLs of files to be kept."),
            on: [.stream], to: \.stream.attachments, show: { .members($0.map { ($0.field, .list($0.mediaTypes)) }) },
            read: { $0.attachments($1) }),
    ]
}
