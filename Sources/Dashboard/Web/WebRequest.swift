import GarnerCatalog
import GarnerModel
package import GarnerPresentation

/// A request to the dashboard, whether it came over HTTP or from `garner browse --get`.
package struct WebRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case other
    }

    package let method: Method
    /// The components of the path, decoded, without the ending that names the format.
    package let components: [String]
    /// The form of the data in the place of the page; nil for the page. Each page has JSON, tables and results also have the
    /// others of `RowFormat.ofPages`.
    package let format: RowFormat?
    package let query: [QueryItem]
    package let form: [QueryItem]
    /// The header fields by their names in lower case. Of several with one name, the first counts.
    package let headers: [String: String]
    /// The name of a header that decides who may look, and that came more than once; nil if none did.
    var repeatedHeader: String?
    /// True if the form was longer than it may be, so that it was not read.
    var isFormTooLong = false

    /// - Parameters:
    ///   - target: The path and the query, as in the request line.
    ///   - body: The body of a form; empty for other requests.
    package init(_ method: Method = .get, target: String, headers: [String: String] = [:], body: [UInt8] = []) {
        self.method = method
        self.headers = headers
        let halves = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        query = halves.count > 1 ? QueryItem.all(in: String(decoding: Array(halves[1]), as: UTF8.self)) : []
        form = QueryItem.all(in: String(decoding: body, as: UTF8.self))
        var raw = halves[0].split(separator: UInt8(ascii: "/")).map(Array.init)
        // The ending is looked for before the path is decoded, so that a key may end in an encoded `.json`.
        var format: RowFormat?
        for other in RowFormat.ofPages {
            let ending = Array(".\(other.rawValue)".utf8)
            guard let last = raw.last, last.count > ending.count, last.suffix(ending.count).elementsEqual(ending) else {
                continue
            }
            format = other
            raw[raw.count - 1].removeLast(ending.count)
        }
        if format != nil, raw.count == 1, raw[0].elementsEqual("index".utf8) { raw = [] }
        self.format = format
        components = raw.map { PercentEncoding.decoded($0, plusIsSpace: false) }
    }

    /// Returns the first value of a parameter; nil if there is none.
    package func value(of name: String) -> String? {
        query.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The page's own address.
    package var link: Link { Link(components: components, query: query) }

    package var cookies: [String: String] {
        let pairs = headers["cookie", default: ""].split(separator: ";").compactMap { pair -> (String, String)? in
            let halves = pair.split(separator: "=", maxSplits: 1).map { String($0.trimming { $0 == " " }) }
            return halves.count == 2 ? (halves[0], halves[1]) : nil
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
