import CGarnerSimdJSON

/// Writes an array of values that are those of another document, with some left out, renamed or replaced.
///
/// Values are taken over as nodes, 16 bytes each, which point at the texts of the other document. Nothing is written as
/// text or parsed. An array or object that is begun here has no spelling in the source; see `Node.isComposed`.
///
/// ```swift
/// var builder = DocumentBuilder(from: document)
/// let object = builder.begin(record)
/// for (key, value) in record.members where key.text != "secret" { builder.append(from: key, through: value) }
/// builder.end(object)
/// let document = builder.document()  // its root is the array [record without "secret"]
/// ```
package struct DocumentBuilder: ~Copyable {
    private let origin: Document
    private var nodes: UnsafeMutablePointer<garner_json_node>
    private var count = 0
    private var capacity: Int
    private var texts = KeptTexts()
    private var isTaken = false

    package init(from origin: Document) {
        self.origin = origin
        capacity = origin.nodeCount + 1
        nodes = Self.buffer(of: capacity)
        var root = garner_json_node()
        root.head = garner_json_head(GARNER_JSON_ARRAY, texts.keep(0) { _ in })
        add(root)
    }

    deinit { if !isTaken { garner_buffer_free(nodes) } }

    /// The bytes of the texts that are not those of the other document.
    package var textBytes: Int { texts.byteCount }

    /// Begins an array or object in the place of `node`. Returns what `end` needs.
    package mutating func begin(_ node: Node) -> Int {
        var begun = node.raw.pointee
        begun.length = 0
        add(begun)
        return count - 1
    }

    /// The place of the next value.
    package var end: Int { count }

    /// Ends the array or object that `begin` began, with all that was appended since.
    package mutating func end(_ place: Int) { nodes[place].nodes = UInt32(count - place) }

    /// Replaces all that was appended since `place` was returned, one value, by its text.
    package mutating func makeText(from place: Int) {
        var text = CanonicalText()
        text.append(Node(raw: nodes + place))
        count = place
        text.bytes.withUnsafeBufferPointer { append(string($0)) }
    }

    /// Appends a value with all that it contains.
    package mutating func append(_ node: Node) { append(from: node, through: node) }

    /// Appends all nodes from `first` to the end of the value `last`, which follows it in the source.
    package mutating func append(from first: Node, through last: Node) {
        let added = garner_json_next(last.raw) - first.raw
        reserve(added)
        (nodes + count).initialize(from: first.raw, count: added)
        count += added
    }

    /// Returns a string that can be appended many times.
    package mutating func string(_ text: UnsafeBufferPointer<UInt8>) -> ComposedString {
        string(of: text.count) { _ = $0.initialize(fromContentsOf: text) }
    }

    /// Returns a string of so many bytes, which `write` writes.
    package mutating func string(
        of count: Int, writtenBy write: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) -> ComposedString {
        var node = garner_json_node()
        node.head = garner_json_head(GARNER_JSON_STRING, texts.keep(count, write))
        node.length = UInt32(count)
        return ComposedString(node: node)
    }

    package mutating func append(_ string: ComposedString) { add(string.node) }

    /// Appends an integer with the spelling that a string has.
    package mutating func append(integer: Int64, spelled: ComposedString) {
        var node = garner_json_node()
        node.head = garner_json_head(GARNER_JSON_INTEGER, spelled.text)
        node.integer = integer
        add(node)
    }

    /// Appends a real number with the spelling that a string has.
    package mutating func append(real: Double, spelled: ComposedString) {
        var node = garner_json_node()
        node.head = garner_json_head(GARNER_JSON_REAL, spelled.text)
        node.real = real
        add(node)
    }

    /// Appends a number that neither type represents exactly.
    package mutating func append(number: ComposedString) {
        var node = number.node
        node.head = garner_json_head(GARNER_JSON_NUMBER, number.text)
        add(node)
    }

    package mutating func append(boolean: Bool?) {
        let kind = boolean.map { $0 ? GARNER_JSON_TRUE : GARNER_JSON_FALSE } ?? GARNER_JSON_NULL
        let spelling: StaticString =
            switch boolean {
            case true?: "true"
            case false?: "false"
            case nil: "null"
            }
        let string = string(UnsafeBufferPointer(start: spelling.utf8Start, count: spelling.utf8CodeUnitCount))
        var node = string.node
        node.head = garner_json_head(kind, string.text)
        add(node)
    }

    package consuming func document() -> Document {
        end(0)
        isTaken = true
        return Document(composedOf: nodes, count: count, texts, from: origin)
    }

    private mutating func add(_ node: garner_json_node) {
        reserve(1)
        (nodes + count).initialize(to: node)
        count += 1
    }

    private mutating func reserve(_ added: Int) {
        guard count + added > capacity else { return }
        capacity = max(2 * capacity, count + added)
        let larger = Self.buffer(of: capacity)
        larger.initialize(from: nodes, count: count)
        garner_buffer_free(nodes)
        nodes = larger
    }

    private static func buffer(of capacity: Int) -> UnsafeMutablePointer<garner_json_node> {
        Bytes.buffer(of: capacity * MemoryLayout<garner_json_node>.stride)
            .bindMemory(to: garner_json_node.self, capacity: capacity)
    }
}

/// A string that a `DocumentBuilder` keeps for its document.
package struct ComposedString {
    fileprivate let node: garner_json_node

    fileprivate var text: UnsafePointer<CChar>? { withUnsafePointer(to: node, garner_json_text) }
}

/// Texts that stay where they are.
final class KeptTexts {
    private(set) var byteCount = 0
    private var blocks: [UnsafeMutablePointer<UInt8>] = []
    /// The part of the last block that is free.
    private var free = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    private static let blockSize = 1 << 14

    deinit { for block in blocks { block.deallocate() } }

    /// Returns the address of a text of so many bytes, which `write` writes, and of a zero, by which a number's end is found.
    func keep(_ count: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Void) -> UnsafePointer<CChar>? {
        let size = count + 1
        byteCount += size
        if free.count < size {
            let block = UnsafeMutablePointer<UInt8>.allocate(capacity: max(size, Self.blockSize))
            blocks.append(block)
            free = UnsafeMutableBufferPointer(start: block, count: max(size, Self.blockSize))
        }
        let kept = UnsafeMutableBufferPointer(rebasing: free[..<size])
        free = UnsafeMutableBufferPointer(rebasing: free[size...])
        write(UnsafeMutableBufferPointer(rebasing: kept[..<count]))
        kept[count] = 0
        return UnsafeRawPointer(kept.baseAddress)?.assumingMemoryBound(to: CChar.self)
    }
}

extension Node {
    /// True for an array or object that a `DocumentBuilder` made: no bytes of a source spell it, and `utf8` is empty.
    package var isComposed: Bool { (kind == .array || kind == .object) && raw.pointee.length == 0 }

    /// Calls `body` with the spelling: that of the source, or what would spell a composed value.
    package func withSpelling<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        guard isComposed else { return try body(utf8) }
        var text = CanonicalText()
        text.append(spelling: self)
        return try text.bytes.withUnsafeBufferPointer(body)
    }
}
