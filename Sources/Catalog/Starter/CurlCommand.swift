import GarnerModel

/// The request of a curl command, or of a URL alone, in the parts that a configuration has.
package struct CurlCommand: Sendable, Equatable {
    package typealias Field = StarterRequest.Field

    package enum Body: Sendable, Equatable {
        case json(String)
        case form([Field])
        case text(String)
    }

    /// The URL without its user and password.
    package private(set) var url: String
    /// The method as it is written; nil if the body decides.
    package private(set) var method: String?
    /// The header fields that Garner does not make itself, each name once.
    package private(set) var headers: [Field] = []
    package private(set) var body: Body?
    /// The name for HTTP Basic, and after a colon the password.
    package private(set) var user: String?
    package private(set) var token: String?
    package private(set) var limits: [Field] = []
    package private(set) var proxy: String?
    package private(set) var proxyUser: String?
    package private(set) var authority: String?
    package private(set) var certificate: String?
    package private(set) var key: String?
    /// Sentences for people on the parts that are not taken, each with its reason.
    package private(set) var remarks: [String] = []

    /// Takes a URL, whose user and password become those of HTTP Basic.
    package init(url: String) {
        self.url = url
        guard let start = url.firstRange(of: "://")?.upperBound else { return }
        let authority = url[start...].prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return }
        let named = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        user = named.map { PercentEncoding.decoded(Substring($0.replacing("+", with: "%2B"))) }.joined(separator: ":")
        self.url = String(url[..<start] + url[at...].dropFirst())
    }

    /// Returns true for a text that holds a command.
    package static func isText(_ text: String) -> Bool {
        let words = text.split(maxSplits: 5, whereSeparator: \.isWhitespace)
        return words.count > 1 && words.dropLast().contains { isCurl(String($0)) }
    }

    /// Takes a command.
    ///
    /// - Parameters:
    ///   - arguments: the words as a shell has split them, or one text to be split.
    ///   - content: returns the content of a file that the command names; `-` is standard input.
    /// - Throws: `CurlError`, or what `content` throws.
    package init(_ arguments: [String], content: @escaping (String) throws -> String) throws {
        let read = arguments.count == 1 ? try CurlText.read(arguments[0]) : WordsRead(arguments)
        let words = read.words
        // A prompt, `sudo` or a variable may stand before it.
        guard let place = words.prefix(5).firstIndex(where: Self.isCurl) else {
            let isOther = words.contains { $0.hasPrefix("Invoke-") || $0.hasPrefix("fetch(") || $0 == "wget" }
            throw CurlError(
                message: isOther ? "this is another command than curl" : "there is no 'curl' in the command",
                hint: "copy the request as cURL (bash), and write garner init -- curl 'https://…'")
        }
        var reading = CurlReading { name in
            guard name == "-", read.hasInput else { return try content(name) }
            throw CurlError(
                message: "the command reads its data from a here-document or a file (<), which only a shell gives it",
                hint: "write the data into the command: --data '…', or --data @file")
        }
        try reading.take(words[(place + 1)...])
        self.init(url: try reading.url())
        try take(reading)
        if let left = read.left { remarks.append("'\(left)' is not taken: it follows the command") }
    }

    private static func isCurl(_ word: String) -> Bool {
        let name = word.split { $0 == "/" || $0 == "\\" }.last?.lowercased()
        return (name == "curl" || name == "curl.exe") && !word.contains("://")
    }

    private mutating func take(_ reading: CurlReading) throws(CurlError) {
        (remarks, limits) = (reading.remarks, reading.limits)
        user = reading.values[.user] ?? user
        (proxy, proxyUser) = (reading.values[.proxy], reading.values[.proxyUser])
        (authority, certificate, key) = (reading.values[.cacert], reading.values[.cert], reading.values[.key])
        if let proxy, !proxy.contains("://") { self.proxy = "http://\(proxy)" }
        take(headers: reading)
        try takeBody(reading)
    }

    private mutating func take(headers reading: CurlReading) {
        token = reading.values[.bearer]
        for field in reading.headers {
            let name = field.name.lowercased()
            switch HeaderRole(name, field.value) {
            case .made: continue
            case .conditional:
                remarks.append("the header '\(field.name)' is left out: garner remembers what it has read")
            case .sent where name == "authorization":
                guard let bearer = Self.bearer(in: field.value) else { fallthrough }
                (token, user) = (bearer, nil)
            case .sent:
                if name == "authorization" { (token, user) = (nil, nil) }
                add(header: field)
            }
        }
    }

    private static func bearer(in value: String) -> String? {
        guard value.lowercased().hasPrefix("bearer ") else { return nil }
        let token = value.dropFirst(7).drop { $0 == " " }
        return token.isEmpty || token.contains(" ") ? nil : String(token)
    }

    /// Adds a field. A configuration has each name once, and a list of values says the same as several fields (RFC 9110, 5.3).
    private mutating func add(header field: Field) {
        guard let index = headers.firstIndex(where: { $0.name.lowercased() == field.name.lowercased() }) else {
            return headers.append(field)
        }
        let separator = field.name.lowercased() == "cookie" ? "; " : ", "
        headers[index].value += separator + field.value
    }

    private mutating func takeBody(_ reading: CurlReading) throws(CurlError) {
        method = reading.values[.request]?.uppercased()
        guard let text = reading.body else { return }
        guard !text.isEmpty else {
            method = method ?? "POST"
            return
        }
        let written = headers.first { $0.name.lowercased() == "content-type" }?.value
        let type = (written ?? (reading.isJSON ? "application/json" : "")).prefix { $0 != ";" }
            .trimming(while: \.isWhitespace).lowercased()
        let usual: BodyFormat
        if type.isEmpty || type == "application/json" || type.hasSuffix("+json"), StarterRequest.isJSON(text) {
            (body, usual) = (.json(text), .json)
            if type.isEmpty { remarks.append("the body is sent as application/json, where curl would call it a form") }
        } else if type.isEmpty || type == BodyFormat.form.mediaType, let fields = Self.fields(of: text) {
            (body, usual) = (.form(fields), .form)
        } else {
            (body, usual) = (.text(text), .text)
            let sent = type.isEmpty ? BodyFormat.form.mediaType : type
            if written == nil { headers.append(Field(name: "Content-Type", value: sent)) }
        }
        if written == usual.mediaType { headers.removeAll { $0.name.lowercased() == "content-type" } }
    }

    /// Returns the fields of a form; nil if the text is none.
    private static func fields(of text: String) -> [Field]? {
        let items = text.split(separator: "&")
        let fields = items.compactMap { item -> Field? in
            guard let equals = item.firstIndex(of: "="), equals > item.startIndex else { return nil }
            let field = Field(
                name: PercentEncoding.decoded(item[..<equals]),
                value: PercentEncoding.decoded(item[equals...].dropFirst()))
            let isText = (field.name + field.value).unicodeScalars.allSatisfy {
                $0 != "\u{FFFD}" && ($0.value >= 0x20 || $0 == "\n" || $0 == "\t" || $0 == "\r")
            }
            return isText && !field.name.contains("${") ? field : nil
        }
        return fields.count == items.count && !fields.isEmpty ? fields : nil
    }
}

/// The use that Garner has for a header field of a command.
private enum HeaderRole {
    /// Garner makes such a field itself, or it only tells about a browser.
    case made
    /// It asks for the document only if it has changed, or for a part of it.
    case conditional
    case sent

    init(_ name: String, _ value: String) {
        if Self.ofBrowsers.contains(name) || ["sec-ch-", "sec-fetch-", ":"].contains(where: name.hasPrefix) {
            self = .made
        } else if name == "accept", value == "*/*" || value.hasPrefix("text/html") {
            self = .made
        } else if name == "range" || name.hasPrefix("if-") {
            self = .conditional
        } else {
            self = .sent
        }
    }

    private static let ofBrowsers: Set = [
        "accept-encoding", "authority", "cache-control", "connection", "content-length", "dnt", "expect", "keep-alive",
        "pragma", "priority", "proxy-connection", "sec-gpc", "te", "transfer-encoding", "upgrade-insecure-requests",
        "x-client-data",
    ]
}
