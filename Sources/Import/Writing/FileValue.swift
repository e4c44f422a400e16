/// A value of the configuration that is written.
package indirect enum FileValue: Hashable, Sendable {
    /// A text as it stands in the configuration: `$` of the API is doubled already, and `${NAME}` is a variable.
    case text(String)
    /// A number, `true` or `false`, as it is written.
    case plain(String)
    case null
    case list([FileValue])
    case mapping(FileMapping)

    package static func int(_ value: Int) -> FileValue { .plain(String(value)) }
    package static func bool(_ value: Bool) -> FileValue { .plain(String(value)) }
    package static func texts(_ values: [String]) -> FileValue { .list(values.map(FileValue.text)) }

    package var mapping: FileMapping? { if case .mapping(let mapping) = self { mapping } else { nil } }
    package var text: String? { if case .text(let text) = self { text } else { nil } }
}

/// The keys of a mapping that is written, in their order.
package struct FileMapping: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let key: String
        package var value: FileValue
        /// Lines before the key, without `#`.
        package var comments: [String] = []
    }

    package var entries: [Entry] = []

    package init() {}

    package init(_ members: KeyValuePairs<String, FileValue>) {
        entries = members.map { Entry(key: $0.key, value: $0.value) }
    }

    package var isEmpty: Bool { entries.isEmpty }

    package subscript(key: String) -> FileValue? {
        get { entries.first { $0.key == key }?.value }
        set {
            let index = entries.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append(Entry(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The mapping under a key. It is made if there is none, and an empty one is not kept.
    package subscript(mapping key: String) -> FileMapping {
        get { self[key]?.mapping ?? FileMapping() }
        set { self[key] = newValue.isEmpty ? nil : .mapping(newValue) }
    }

    /// Writes lines before a key that is there.
    package mutating func comment(_ text: String, on key: String) {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return }
        entries[index].comments.append(text)
    }
}
