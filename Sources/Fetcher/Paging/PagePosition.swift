import Catalog
import JSON

/// Which page of a read is meant: all that its request is made from, but no secret, and what is known of the read so far.
package struct PagePosition: Hashable, Sendable {
    /// Absolute; secret parameters and credentials are added only when the request is sent.
    package let url: String
    /// JSON, with null where secrets are added; nil for a GET request.
    package let body: String?
    /// Counts the pages of the read, from 0.
    package let number: Int
    /// It is requested only to be sure that nothing is there: the page before had fewer records than were asked for.
    package let mayBeMissing: Bool
    package let history: ReadHistory
    package let window: ReadWindow

    package init(
        url: String, body: String? = nil, number: Int, mayBeMissing: Bool = false,
        history: ReadHistory = ReadHistory(), window: ReadWindow = ReadWindow()
    ) {
        self.url = url
        self.body = body
        self.number = number
        self.mayBeMissing = mayBeMissing
        self.history = history
        self.window = window
    }

    init(
        _ locator: PageLocator, number: Int, mayBeMissing: Bool = false, history: ReadHistory = ReadHistory(),
        window: ReadWindow
    ) {
        self.init(
            url: "\(locator.address)", body: locator.body.map { "\($0)" }, number: number, mayBeMissing: mayBeMissing,
            history: history, window: window)
    }

    /// The same for two positions that ask for the same page.
    package var key: String { body.map { "\(url) \($0)" } ?? url }
}

// MARK: - As a text

extension PagePosition {
    /// To be stored: a JSON object.
    package var checkpoint: String {
        var members = [#""number":\#(number)"#]
        members += history.members
        if mayBeMissing { members.append(#""may_be_missing":true"#) }
        if let start = window.start { members.append(#""from":\#(quoted(start))"#) }
        if let end = window.end { members.append(#""to":\#(quoted(end))"#) }
        members.append(#""url":\#(quoted(url))"#)
        if let body { members.append(#""body":\#(quoted(body))"#) }
        return "{\(members.joined(separator: ","))}"
    }

    /// nil where `checkpoint` is none.
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
            url: url, body: root["body"]?.string, number: number, mayBeMissing: root["may_be_missing"]?.kind == .true,
            history: history,
            window: ReadWindow(start: root["from"]?.string, end: root["to"]?.string))
    }
}

// What positions and summaries have in common as JSON texts.

/// A JSON string.
func quoted(_ text: String) -> String { JSONString.quoted(text) }

extension Node {
    /// A count that one more can be added to.
    var storedCount: Int? {
        guard kind == .integer, (0..<Int64.max).contains(integer) else { return nil }
        return Int(integer)
    }
}

extension ReadHistory.Place {
    /// A member of a JSON object.
    var member: String {
        switch self {
        case .array: #""is_array":true"#
        case .member(let name): #""member":\#(quoted(name))"#
        case .path(let names): #""path":[\#(names.map(quoted).joined(separator: ","))]"#
        case .second: #""is_second":true"#
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
