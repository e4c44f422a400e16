// A history as people read it.
extension History {
    var told: String {
        let lines =
            ["the stream: \(world)"] + zoos.map { "the parent has \($0)" }
            + gates.map { "the list of partitions has \($0)" } + records.map { "the source has \($0)" }
            + steps.enumerated().map { "\($0 + 1). \($1)" }
        return lines.map { "  \($0)" }.joined(separator: "\n").replacing("StorageProof.", with: "")
    }
}

extension World: CustomStringConvertible {
    var description: String { differences(of: self, from: World()) }
}

extension ModelRecord: CustomStringConvertible {
    var description: String { "(\(differences(of: self, from: ModelRecord(key: [], members: []))))" }
}

extension Disturbance: CustomStringConvertible {
    var description: String { differences(of: self, from: Disturbance()) }
}

extension Content: CustomStringConvertible {
    var description: String { json }
}

extension Content.Member: CustomStringConvertible {
    var description: String { "\(name): \(value)" }
}

/// What a value has that a usual one has otherwise.
private func differences<Subject>(of value: Subject, from usual: Subject) -> String {
    zip(Mirror(reflecting: value).children, Mirror(reflecting: usual).children).compactMap { own, usual in
        "\(own.value)" == "\(usual.value)" ? nil : "\(own.label ?? "") \(own.value)"
    }.joined(separator: ", ")
}
