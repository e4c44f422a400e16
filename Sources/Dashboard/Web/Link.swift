import GarnerCatalog
package import GarnerPresentation

/// The address of a page of the dashboard: its path and its query. Only such addresses stand in links and forms.
///
///     Link("tables", "animals").adding("diet", "krill").text  // "/tables/animals?diet=krill"
package struct Link: Sendable, Equatable, CustomStringConvertible {
    package var components: [String]
    package var query: [QueryItem]
    /// The form of the data that is requested; nil for the page itself.
    package var format: RowFormat?

    package init(_ components: String..., query: [QueryItem] = []) {
        self.init(components: components, query: query)
    }

    package init(components: [String], query: [QueryItem] = []) {
        self.components = components
        self.query = query
    }

    /// The parameters with the parts of a record's key, for keys that no path can have.
    static let keyParameter = "_key"

    /// The bytes of a key that an address has room for.
    static let longestKey = 2_000

    /// The page of a record. Browsers take an empty part of a path, `.` and `..` for steps, also where they are encoded, so keys
    /// with such a part are parameters.
    package static func record(_ key: [String], of table: String) -> Link {
        guard key.contains(where: { ["", ".", ".."].contains($0) }) else {
            return Link(components: ["tables", table] + key)
        }
        return Link(components: ["tables", table], query: key.map { QueryItem(keyParameter, $0) })
    }

    package func adding(_ name: String, _ value: String) -> Link {
        var link = self
        link.query.append(QueryItem(name, value))
        return link
    }

    package func `as`(_ format: RowFormat) -> Link {
        var link = self
        link.format = format
        return link
    }

    package var text: String {
        var path = components.map(Self.encoded).joined(separator: "/")
        if let format { path += components.isEmpty ? "index.\(format.rawValue)" : ".\(format.rawValue)" }
        let items = query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }
        return "/" + path + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }

    package var description: String { text }

    /// Encodes all bytes but unreserved ones. A dot is encoded too, since the dot of a path begins its format.
    private static func encoded(_ text: String) -> String {
        PercentEncoding.encoded(text).replacing(".", with: "%2E")
    }
}

/// A parameter of a query or a form.
package struct QueryItem: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// Parses `a=1&b=2`. A name or a value that is not UTF-8 is repaired.
    package static func all(in text: some StringProtocol) -> [QueryItem] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return QueryItem(
                PercentEncoding.decoded(halves[0], plusIsSpace: true),
                halves.count > 1 ? PercentEncoding.decoded(halves[1], plusIsSpace: true) : "")
        }
    }
}
