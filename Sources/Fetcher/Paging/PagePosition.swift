import GarnerCatalog
import GarnerJSON

/// The position of a page in a read: all parts of its request but the secrets, and the history of the read so far.
package struct PagePosition: Hashable, Sendable {
    /// The absolute URL. Secret parameters and credentials are added when the request is sent.
    package let url: String
    /// The URL in its parts; nil if it cannot be parsed.
    let address: WebAddress?
    /// The body as JSON, with null for secrets; nil if there is none.
    package let body: String?
    /// The header fields of the read whose placeholders are filled in.
    package let headers: [Header]
    /// The values that the request is made with; nil unless a placeholder stands for the page.
    package let filling: PageFilling?
    /// The index of the page in the read, from 0.
    package let number: Int
    /// True if nothing has announced the page. It is requested to see whether it exists.
    package let mayBeMissing: Bool
    package internal(set) var history: ReadHistory
    package let window: ReadWindow

    /// True if its number decides which records the page has.
    package var isNumbered: Bool { history.isNumbered }

    package init(
        url: String, body: String? = nil, headers: [Header] = [], filling: PageFilling? = nil, number: Int,
        mayBeMissing: Bool = false, history: ReadHistory = ReadHistory(), window: ReadWindow = ReadWindow()
    ) {
        self.url = url
        address = WebAddress(url)
        self.body = body
        self.headers = headers
        self.filling = filling
        self.number = number
        self.mayBeMissing = mayBeMissing
        self.history = history
        self.window = window
    }

    init(
        _ locator: PageLocator, headers: [Header], filling: PageFilling? = nil, number: Int,
        mayBeMissing: Bool = false, history: ReadHistory = ReadHistory(), window: ReadWindow
    ) {
        url = "\(locator.address)"
        address = locator.address
        body = locator.body.map { "\($0)" }
        self.headers = headers
        self.filling = filling
        self.number = number
        self.mayBeMissing = mayBeMissing
        self.history = history
        self.window = window
    }

    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    /// A text that is equal for two positions if they request the same page.
    package var key: String {
        headers.reduce(body.map { "\(url) \($0)" } ?? url) { "\($0)\n\($1.name.lowercased()): \($1.value)" }
    }
}

// MARK: - As a text

extension PagePosition {
    /// The position as a JSON object, to be stored.
    package var checkpoint: String {
        var members: [(String, JSONText)] = []
        members.add("number", number)
        members += history.members
        members.add("may_be_missing", if: mayBeMissing)
        members.add("from", window.start)
        members.add("to", window.end)
        members.add("url", url)
        members.add("body", body)
        if !headers.isEmpty {
            members.append(("headers", .object(headers.map { ($0.name, .string($0.value)) })))
        }
        members += filling?.members ?? []
        return JSONText.object(members).text
    }

    /// Returns nil if the text is not a checkpoint.
    package init?(checkpoint: String) {
        guard let document = try? Document(parsing: Bytes(checkpoint.utf8)) else { return nil }
        let position = document.withRoot { PagePosition(stored: $0) }
        guard let position else { return nil }
        self = position
    }

    private init?(stored root: Node) {
        guard let url = root["url"]?.string, let number = root["number"]?.storedCount,
            let history = ReadHistory(stored: root)
        else { return nil }
        self.init(
            url: url, body: root["body"]?.string,
            headers: root["headers"]?.members.map { Header(name: $0.key.text, value: $0.value.text) } ?? [],
            filling: PageFilling(stored: root), number: number, mayBeMissing: root["may_be_missing"]?.kind == .true,
            history: history,
            window: ReadWindow(start: root["from"]?.string, end: root["to"]?.string))
    }
}

// The JSON texts that positions and summaries share.

extension Node {
    /// The value of a stored count; nil if it is negative or `Int64.max`, to which one cannot be added.
    var storedCount: Int? {
        guard kind == .integer, (0..<Int64.max).contains(integer) else { return nil }
        return Int(integer)
    }
}

extension ReadHistory.Place {
    var member: (String, JSONText) {
        switch self {
        case .array: ("is_array", .bool(true))
        case .member(let name): ("member", .string(name))
        case .path(let names): ("path", JSONText(names))
        case .second: ("is_second", .bool(true))
        }
    }

    init?(stored root: Node) {
        if root["is_array"]?.kind == .true {
            self = .array
        } else if let name = root["member"]?.string {
            self = .member(name)
        } else if let names = root["path"]?.elements.compactMap(\.string), names.count > 1 {
            self = .path(names)
        } else if root["is_second"]?.kind == .true {
            self = .second
        } else {
            return nil
        }
    }
}
