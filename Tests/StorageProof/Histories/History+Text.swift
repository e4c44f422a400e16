// A history as people read it.
extension History {
    var told: String {
        let lines =
            ["the stream\(isPublished ? ", published" : "")\(isCopied ? ", copied" : ""): \(world)"]
            + zoos.map { "the parent has \($0)" }
            + gates.map { "the list of partitions has \($0)" } + records.map { "the source has \($0)" }
            + steps.enumerated().map { "\($0 + 1). \($1)" }
        return lines.map { "  \($0)" }.joined(separator: "\n").replacing("StorageProof.", with: "")
    }
}

/// A value of which is told what it has otherwise than a usual one.
protocol ToldByDifference: CustomStringConvertible {
    static var usual: Self { get }
}

extension ToldByDifference {
    var description: String {
        let pairs = zip(Mirror(reflecting: self).children, Mirror(reflecting: Self.usual).children)
        let different = pairs.filter { "\($0.value)" != "\($1.value)" }
        return "(\(different.map { "\($0.0.label ?? "") \($0.0.value)" }.joined(separator: ", ")))"
    }
}

extension World: ToldByDifference { static let usual = World() }
extension ModelRecord: ToldByDifference { static let usual = ModelRecord(key: [], members: []) }
extension Disturbance: ToldByDifference { static let usual = Disturbance() }
extension Content: CustomStringConvertible { var description: String { json } }
extension Content.Member: CustomStringConvertible { var description: String { "\(name): \(value)" } }
