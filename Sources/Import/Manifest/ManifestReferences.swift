/// Replaces the references of a document by what they refer to.
package struct ManifestReferences {
    private let root: ManifestNode
    private var resolved: [String: (node: ManifestNode, height: Int)] = [:]
    /// The references that are being replaced, the innermost last.
    private var open: [String] = []
    private var count = 0
    /// The members of mappings that were copied.
    private var copied = 0

    /// The members in which no reference is replaced: nothing is made of them, and their references may be circles.
    private static let untouched: Set = ["schema_loader"]

    /// The parts of a pointer that may be one name.
    private static let mostJoined = 8

    package init(_ root: ManifestNode) { self.root = root }

    /// Returns a node without references. What stands beside `$ref` wins over what it refers to.
    package mutating func resolve(_ node: ManifestNode) throws(ManifestError) -> ManifestNode {
        try resolve(node, depth: 0).node
    }

    /// Returns the place that a pointer such as `#/definitions/stream` leads to, as it is written.
    package func node(at pointer: String, line: Int? = nil) throws(ManifestError) -> ManifestNode {
        var hops = 0
        return try node(at: pointer, line: line, &hops)
    }

    private func node(at pointer: String, line: Int?, _ hops: inout Int) throws(ManifestError) -> ManifestNode {
        let unknown = ManifestError(
            "there is nothing at '\(pointer.prefix(200))', to which a reference leads", line: line,
            advice: "take the whole file of the connector, or mend the reference")
        guard pointer.hasPrefix("#"), pointer.utf8.count <= 2_000 else { throw unknown }
        var node = root
        var names = pointer.drop { $0 == "#" || $0 == "/" }.split(separator: "/", omittingEmptySubsequences: false)[...]
        if names == [""] { names = [] }
        while let first = names.first {
            if node.isList {
                guard let index = Int(first), node.list.indices.contains(index) else { throw unknown }
                (node, names) = (node.list[index], names.dropFirst())
                continue
            }
            // Names may themselves hold a few slashes: the longest that fits counts.
            let found = (1...min(names.count, Self.mostJoined)).reversed().lazy.compactMap {
                length -> (ManifestNode, Int)? in
                let name = names.prefix(length).joined(separator: "/")
                let child = node[name] ?? node[name.replacing("~1", with: "/").replacing("~0", with: "~")]
                return child.map { ($0, length) }
            }.first
            if let (child, length) = found {
                (node, names) = (child, names.dropFirst(length))
            } else if let reference = node.reference, hops < ManifestLimit.depth {
                hops += 1
                node = try self.node(at: reference, line: node.line, &hops)
            } else {
                throw unknown
            }
        }
        return node
    }

    private mutating func resolve(
        _ node: ManifestNode, depth: Int
    ) throws(ManifestError) -> (node: ManifestNode, height: Int) {
        count += 1
        guard depth <= ManifestLimit.depth, count <= ManifestLimit.writtenNodes else { throw .tooLarge(node.line) }
        switch node.content {
        case .text(let text) where text.hasPrefix("#/"): return try target(text, line: node.line, depth: depth)
        case .list(let nodes):
            var (list, height): ([ManifestNode], Int) = ([], 0)
            for element in nodes {
                let result = try resolve(element, depth: depth + 1)
                list.append(result.node)
                height = max(height, result.height)
            }
            return (ManifestNode(.list(list), line: node.line), height + 1)
        case .mapping(let members):
            var (rest, height): ([ManifestNode.Member], Int) = ([], 0)
            for member in members where member.name != "$ref" || node.reference == nil {
                if Self.untouched.contains(member.name) {
                    rest.append(member)
                    continue
                }
                let result = try resolve(member.value, depth: depth + 1)
                rest.append(ManifestNode.Member(name: member.name, value: result.node))
                height = max(height, result.height)
            }
            guard let reference = node.reference else {
                return (ManifestNode(.mapping(rest), line: node.line), height + 1)
            }
            let base = try target(reference, line: node["$ref"]?.line ?? node.line, depth: depth)
            guard base.node.isMapping else { return base }
            return (
                rest.isEmpty
                    ? base.node : ManifestNode(.mapping(try merged(base.node, rest)), line: base.node.line),
                max(height + 1, base.height)
            )
        default: return (node, 1)
        }
    }

    /// Returns the members of what is referred to, under those that stand beside the reference.
    private mutating func merged(
        _ base: ManifestNode, _ beside: [ManifestNode.Member]
    ) throws(ManifestError) -> [ManifestNode.Member] {
        copied += base.members.count
        guard copied <= ManifestLimit.copiedMembers else { throw .tooLarge(base.line) }
        var members = OrderedMembers(base.members)
        for member in beside {
            guard member.name == "$parameters", let lower = members["$parameters"], lower.isMapping else {
                members.set(member.value, for: member.name)
                continue
            }
            copied += lower.members.count
            var parameters = OrderedMembers(lower.members)
            for parameter in member.value.members { parameters.set(parameter.value, for: parameter.name) }
            members.set(ManifestNode(.mapping(parameters.members), line: member.value.line), for: "$parameters")
        }
        return members.members
    }

    private mutating func target(
        _ pointer: String, line: Int?, depth: Int
    ) throws(ManifestError) -> (node: ManifestNode, height: Int) {
        if let target = resolved[pointer] {
            guard depth + target.height <= ManifestLimit.depth else { throw .tooLarge(line) }
            return target
        }
        guard !open.contains(pointer) else {
            throw ManifestError(
                "the reference '\(pointer.prefix(200))' leads back to itself", line: line,
                advice: "mend the reference, or take another version of the connector")
        }
        open.append(pointer)
        defer { open.removeLast() }
        let target = try resolve(node(at: pointer, line: line), depth: depth + 1)
        resolved[pointer] = target
        return target
    }
}

extension ManifestNode {
    /// The pointer of a node that stands for another one.
    package var reference: String? { self["$ref"]?.text }
}

extension ManifestError {
    static func tooLarge(_ line: Int?) -> ManifestError {
        ManifestError(
            "references and parameters make too much of the file here", line: line,
            advice: "name fewer streams with --streams, or take another version of the connector")
    }
}
