import GarnerCatalog

/// An OpenAPI document, whose references are followed where something is looked for.
///
/// Schemas that hold themselves are usual, so that nothing is replaced as a whole. Each look costs a step, of which there is a
/// number.
final class OpenAPIDocument {
    let root: ManifestNode
    /// True for Swagger 2.0.
    let isSwagger: Bool
    /// References to other files, which are not read.
    private(set) var foreignReferences: [String] = []
    /// The first reference that leads to nothing of the document; nil for none.
    private(set) var brokenReference: (pointer: String, line: Int?)?
    private var targets: [String: ManifestNode] = [:]
    private(set) var steps = 0

    private static let maximumSteps = 4_000_000

    init(_ root: ManifestNode) throws(ManifestError) {
        guard root["paths"]?.isMapping ?? false else {
            let other = ForeignFormat.other(root)
            throw ManifestError(
                "the document \(other.map { "is \($0.name), and " } ?? "")has no paths", line: root.line,
                advice: other?.advice ?? "name an OpenAPI or Swagger document that describes requests")
        }
        let known: [(key: String, version: String)] = [("openapi", "3"), ("swagger", "2")]
        for (key, version) in known {
            guard let written = root[key]?.scalarText, !written.hasPrefix(version) else { continue }
            throw ManifestError(
                "\(key) \(ImportReport.shown(written)) is an unknown version", line: root[key]?.line,
                advice: "take a document of OpenAPI 3.0 or 3.1, or of Swagger 2.0")
        }
        self.root = root
        isSwagger = root["openapi"] == nil
    }

    /// Returns what a node stands for; nil where a reference leads nowhere or in a circle.
    func resolved(_ node: ManifestNode?) throws(ManifestError) -> ManifestNode? {
        var node = node
        var hops = 0
        while let pointer = node?.reference {
            hops += 1
            guard hops <= ManifestLimit.depth else { return nil }
            let found = try target(pointer)
            if found == nil, pointer.hasPrefix("#"), brokenReference == nil {
                brokenReference = (pointer, node?["$ref"]?.line ?? node?.line)
            }
            node = found
        }
        try step(node)
        return node
    }

    /// Returns a member of a node, either of which may be a reference.
    func member(_ name: String, of node: ManifestNode?) throws(ManifestError) -> ManifestNode? {
        try resolved(resolved(node)?[name])
    }

    /// Counts what is looked at.
    func step(_ node: ManifestNode?, _ count: Int = 1) throws(ManifestError) {
        steps += count
        guard steps <= Self.maximumSteps else {
            throw ManifestError(
                "the schemas lead to too much", line: node?.line,
                advice: "make a smaller document of the paths that you need")
        }
    }

    private func target(_ pointer: String) throws(ManifestError) -> ManifestNode? {
        try step(nil)
        if let known = targets[pointer] { return known.isNull ? nil : known }
        let found = try place(pointer)
        targets[pointer] = found ?? ManifestNode(.null)
        return found
    }

    private func place(_ pointer: String) throws(ManifestError) -> ManifestNode? {
        guard pointer.hasPrefix("#"), pointer.utf8.count <= 2_000 else {
            if !pointer.hasPrefix("#"), foreignReferences.count < 100 { foreignReferences.append(pointer) }
            return nil
        }
        var node: ManifestNode? = root
        for name in pointer.dropFirst().split(separator: "/") {
            var hops = 0
            while let reference = node?.reference {
                hops += 1
                // A reference inside a pointer is followed by name only, so that circles end.
                guard hops <= ManifestLimit.depth, reference != pointer,
                    let known = targets[reference] ?? plain(reference)
                else { return nil }
                try step(node)
                node = known
            }
            let text = PercentEncoding.decoded(name.utf8, plusIsSpace: false)
            let name = text.replacing("~1", with: "/").replacing("~0", with: "~")
            if let list = node?.list, !list.isEmpty {
                guard let index = Int(name), list.indices.contains(index) else { return nil }
                node = list[index]
            } else {
                node = node?[name]
            }
        }
        return node
    }

    /// Returns the place of a pointer that leads through no other reference.
    private func plain(_ pointer: String) -> ManifestNode? {
        guard pointer.hasPrefix("#"), pointer.utf8.count <= 2_000 else { return nil }
        var node: ManifestNode? = root
        for name in pointer.dropFirst().split(separator: "/") {
            let text = PercentEncoding.decoded(name.utf8, plusIsSpace: false)
            node = node?[text.replacing("~1", with: "/").replacing("~0", with: "~")]
        }
        return node
    }
}
