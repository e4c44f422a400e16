package import GarnerJSON
import GarnerPresentation
import Synchronization

/// An answer of the dashboard.
package struct WebResponse: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body

    package enum Body: Sendable {
        case bytes([UInt8])
        /// A body of any length, whose parts are asked for when there is room for them.
        case parts(AsyncThrowingStream<[UInt8], any Error>)

        /// A body of `count` parts that are made one after the other, each when there is room for it.
        static func parts(_ count: Int, part: @escaping @Sendable (_ index: Int) async throws -> [UInt8]) -> Body {
            let index = Mutex(0)
            return .parts(
                AsyncThrowingStream {
                    let next = index.withLock { index in
                        defer { index += 1 }
                        return index
                    }
                    return next < count ? try await part(next) : nil
                })
        }
    }

    package init(_ status: Int = 200, type: String, _ body: Body, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.headers = [("Content-Type", type)] + headers
        self.body = body
    }

    package static func html(_ html: HTML, status: Int = 200) -> WebResponse {
        WebResponse(status, type: "text/html; charset=utf-8", .bytes(html.bytes))
    }

    package static func json(_ json: JSONText, status: Int = 200) -> WebResponse {
        WebResponse(status, type: "application/json", .bytes(Array((json.text + "\n").utf8)))
    }

    /// Records of named fields as the command line gives them with `--json`.
    static func list(_ records: [[Report.Field]]) -> WebResponse {
        WebResponse(
            type: "application/json",
            .bytes(Array(JSONText.list(records.map { .object($0.map { ($0.name, $0.json) }) }).utf8)))
    }

    package static func text(_ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8")
        -> WebResponse
    { WebResponse(status, type: type, .bytes(Array(text.utf8))) }

    /// Rows in a format of pages: JSON, or a file to save.
    ///
    /// - Parameter name: The name of the file without its ending, which needs no quoting.
    static func rows(_ body: Body, as format: RowFormat, name: String) -> WebResponse {
        let response = WebResponse(type: format.mediaType ?? "text/plain; charset=utf-8", body)
        guard !format.isJSON else { return response }
        return response.adding("Content-Disposition", "attachment; filename=\"\(name).\(format.rawValue)\"")
    }

    /// Leads the browser to another page with a `GET`, as after a form.
    package static func redirect(to link: Link) -> WebResponse {
        WebResponse(303, type: "text/plain", .bytes([]), headers: [("Location", link.text)])
    }

    package func adding(_ name: String, _ value: String) -> WebResponse {
        var response = self
        response.headers.append((name, value))
        return response
    }
}
