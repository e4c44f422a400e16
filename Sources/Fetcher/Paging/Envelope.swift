import GarnerCatalog
import GarnerJSON

/// The objects of a body that describe the whole page: the root, the objects on the way to the records, and their
/// members with names such as `meta` or `paging`. Records and the contents of other arrays are left out, and so are words with several
/// meanings in wrappers of unusual names.
struct Envelope {
    struct Member {
        /// The member's JSONPath.
        let path: String
        /// The member's name in lower case, without `_` and `-`.
        let name: String
        let spelling: String
        let node: Node
        /// The index of the member's object in `names`.
        let object: Int
        /// The word for pages that the name is; nil if it is none.
        let word: PagingWord?

        init(path: String, spelling: String, node: Node, object: Int) {
            (self.path, name, self.spelling) = (path, Envelope.normalized(spelling), spelling)
            (self.node, self.object, word) = (node, object, PagingWord(name))
        }

        fileprivate func differs(from other: Member) -> Bool {
            node.kind != other.node.kind || !node.utf8.elementsEqual(other.node.utf8)
        }

        /// True if the name may tell of other pages, or of how many records there are.
        fileprivate var tellsOfPages: Bool {
            if let word { return word != .remark }
            return name.mentions(["count", "cursor", "link", "next", "offset", "page", "token", "total"])
        }
    }

    /// The members in the order of their objects, the root's first. Of members with the same name, only the last.
    private(set) var members: [Member] = []
    /// The names of the objects; empty for the root.
    private(set) var names: [String] = []
    /// The place of the first member that tells of pages or has the records, also further down, and that stands twice with other values; nil if none does.
    private(set) var doubled: String?

    /// The limit above which an object is a map of records rather than an envelope.
    private static let mostMembers = 512
    /// The length of a name, in bytes, above which it cannot be a known one.
    private static let longestName = 32

    /// True if the object describes the page: one with a usual name, or one named after paging that holds no list of its own.
    private static func isWrapper(_ member: Member) -> Bool {
        if Wrapper(member.name).contains(.page) { return true }
        guard
            ["additionaldata", "navigation", "envelope"].contains(member.name)
                || member.name.mentions(["pagin", "page", "cursor"])
        else { return false }
        return !member.node.members.contains { $0.value.kind == .array }
    }

    private let ignored: [Node]
    private let container: Node?
    /// The values from the root to the one that holds the records.
    private let way: [Node]

    /// True if the configuration says that the value says nothing of the pages.
    func isIgnored(_ node: Node) -> Bool { ignored.have(node) }

    /// The first record; nil if the records are no elements of a list.
    var firstRecord: Node? { container?.kind == .array ? container?.elements.first { _ in true } : nil }

    /// The words for one record and for several by which the list is called, in the body and at the end of the path: `orders` and `order`.
    func nouns(at address: WebAddress) -> [String] {
        let called = members.first { holdsRecords($0.node) }?.name
        let asked = address.path.split(separator: "/").last.map { Self.normalized(String($0.prefix { $0 != "." })) }
        return [called, asked].compactMap(\.self).filter { $0.utf8.count > 2 }.flatMap { noun in
            noun.hasSuffix("s") ? [noun, String(noun.dropLast())] : [noun]
        }
    }

    func holdsRecords(_ node: Node) -> Bool { container?.isSame(as: node) == true }

    /// - Parameters:
    ///   - way: the values from the root to the value that holds the records, which is the last one.
    ///   - ignored: the places of members that are left out, with all that they hold.
    init(root: Node, way: [(path: String, node: Node)], ignoring ignored: [Selector] = []) {
        self.ignored = ignored.compactMap { $0.first(in: root) }
        (container, self.way) = (way.last?.node, way.map(\.node))
        var objects = way.dropLast().filter { $0.node.kind == .object }
        // Some APIs send an array of two: an object about the page and the array of the records.
        if let pair = root.pageAndRecords { objects.insert((path: "$[0]", node: pair.page), at: 0) }
        for object in objects {
            let first = members.count
            add(object.node, at: object.path, named: object.path == "$" ? "" : object.path)
            var places = first..<members.count
            for _ in 0..<2 {
                let inner = members[places].filter {
                    // openFDA counts in `meta.results`.
                    $0.node.kind == .object
                        && (Self.isWrapper($0) || $0.name == "results" && names[$0.object] == "meta")
                }
                let start = members.count
                for member in inner where !objects.contains(where: { $0.node.isSame(as: member.node) }) {
                    add(
                        member.node, at: member.path, named: member.name,
                        isUsual: Wrapper(member.name).contains(.page) || member.name == "results")
                }
                places = start..<members.count
            }
        }
    }

    /// - Parameter isUsual: False if words with several meanings do not count in the object.
    private mutating func add(_ object: Node, at path: String, named name: String, isUsual: Bool = true) {
        var last: [String: Int] = [:]
        var found: [Member] = []
        var count = 0
        for (key, value) in object.members {
            count += 1
            guard count <= Self.mostMembers else { return }
            guard key.utf8.count <= Self.longestName else { continue }
            let spelling = key.text
            let member = Member(
                path: path + Selector.shortSegment(named: spelling), spelling: spelling, node: value,
                object: names.count)
            // A text in the place of an offset is a cursor.
            let isWeak = PagingWord.isWeak(member.name) && (member.name != "offset" || value.pagingNumber != nil)
            guard isUsual || !isWeak else { continue }
            if isIgnored(value) {
                guard last[spelling] != nil else { continue }
                // An earlier value of the name says nothing, either.
                found.removeAll { $0.spelling == spelling }
                last = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($1.spelling, $0) })
                continue
            }
            if let place = last[spelling] {
                if found[place].differs(from: member), member.tellsOfPages || self.way.have(value) {
                    doubled = doubled ?? member.path
                }
                found[place] = member
            } else {
                last[spelling] = found.count
                found.append(member)
            }
        }
        names.append(name)
        members += found
    }

    static func normalized(_ name: String) -> String {
        // Most names are so already.
        if name.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) { return name }
        let name = name.hasPrefix("hydra:") ? name.dropFirst("hydra:".count) : name[...]
        return String(
            decoding: name.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") },
            as: UTF8.self)
    }
}

extension Node {
    /// The two values of an array that holds an object about the page and the array of the records; nil for any other.
    var pageAndRecords: (page: Node, records: Node)? {
        guard kind == .array else { return nil }
        var values: [Node] = []
        for element in elements {
            guard values.count < 2 else { return nil }
            values.append(element)
        }
        guard values.count == 2, values[0].kind == .object, values[1].kind == .array else { return nil }
        return (values[0], values[1])
    }

    /// The way by which the members of this root are read as if they stood beside a list.
    var wayToUnknownList: [(path: String, node: Node)] { [(path: "$", node: self), (path: "$", node: self)] }

    /// True if both nodes are the same place of the same document.
    func isSame(as other: Node) -> Bool { utf8.baseAddress == other.utf8.baseAddress && utf8.count == other.utf8.count }
}

extension [Node] {
    /// Returns true if one of them is the same place of the same document.
    func have(_ node: Node) -> Bool { contains { $0.isSame(as: node) } }
}

extension String {
    /// Returns true if one of the words stands anywhere in this name.
    ///
    /// Each answer's names are looked through, and a search of bytes takes a hundredth of the time of one for characters.
    func mentions(_ words: [StaticString]) -> Bool {
        var name = self
        return name.withUTF8 { $0.mention(words) }
    }

    /// Calls `body` with the bytes of this ASCII name in lower case, without `_` and `-`.
    func withPlainBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: utf8.count) { plain in
            var count = 0
            for byte in utf8 where byte != UInt8(ascii: "_") && byte != UInt8(ascii: "-") {
                let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                plain.initializeElement(at: count, to: isUpper ? byte | 0x20 : byte)
                count += 1
            }
            return body(UnsafeBufferPointer(rebasing: plain[..<count]))
        }
    }

    /// True if a character of it is white space. Most texts are found to have none by their bytes, without Unicode's tables.
    var hasBlank: Bool { utf8.contains { $0 <= 0x20 || $0 >= 0x80 } && contains(where: \.isWhitespace) }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns true if one of the words stands anywhere in these bytes.
    func mention(_ words: [StaticString]) -> Bool {
        words.contains { word in
            let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
            guard count >= word.count else { return false }
            return (0...count - word.count).contains { start in
                self[start] == word[0] && self[start..<start + word.count].elementsEqual(word)
            }
        }
    }
}
