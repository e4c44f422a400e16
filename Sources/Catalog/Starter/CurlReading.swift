import GarnerModel

/// The options of a command, as they are read from its words.
struct CurlReading {
    let content: (String) throws -> String
    private(set) var values: [CurlOption.Part: String] = [:]
    private(set) var headers: [CurlCommand.Field] = []
    private(set) var limits: [CurlCommand.Field] = []
    private(set) var remarks: [String] = []
    private(set) var isJSON = false
    private var urls: [String] = []
    private var data: String?
    private var query: [String] = []
    private var isInQuery = false
    private var takesBrackets = false

    init(content: @escaping (String) throws -> String) { self.content = content }

    /// The body; nil if there is none, or if the data belong into the URL.
    var body: String? { isInQuery ? nil : data }

    mutating func take(_ words: ArraySlice<String>) throws {
        guard !words.contains(where: { $0.first.map { "“”„‘’‚".contains($0) } ?? false }) else {
            throw CurlError(
                message: "the command has the quotes of a word processor, which no shell takes for quotes",
                hint: "write straight ones, ' or \", in their place")
        }
        var rest = words
        var takesOptions = true
        while let word = rest.popFirst() {
            if takesOptions, word == "--" {
                takesOptions = false
            } else if takesOptions, word.hasPrefix("--") {
                try take(CurlOption(long: String(word.dropFirst(2))), as: word, nil, &rest)
            } else if takesOptions, word.hasPrefix("-"), word.count > 1 {
                try take(letters: word.dropFirst(), &rest)
            } else {
                urls.append(word)
            }
        }
        if let cookies = values[.cookie] { headers.append(.init(name: "Cookie", value: cookies)) }
        if let agent = values[.userAgent], !agent.isEmpty { headers.append(.init(name: "User-Agent", value: agent)) }
        if let referer = values[.referer] { headers.append(.init(name: "Referer", value: referer)) }
    }

    /// Takes short options, of which the last one may have its value in the same word.
    private mutating func take(letters: Substring, _ rest: inout ArraySlice<String>) throws {
        var letters = letters
        while let letter = letters.popFirst() {
            let option = CurlOption(short: letter)
            let hasValue = option?.takesValue == true && !letters.isEmpty
            try take(option, as: "-\(letter)", hasValue ? String(letters) : nil, &rest)
            if hasValue { return }
        }
    }

    private mutating func take(
        _ option: CurlOption?, as name: String, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws {
        guard let option else {
            // The text after the name may be a secret.
            throw CurlError(
                message: "'\(name.prefix { $0 != "=" })' is no option of curl that garner knows",
                hint: "leave it out, if the request means the same without it")
        }
        var value: String?
        if option.takesValue {
            value = attached ?? rest.popFirst()
            guard value != nil else {
                throw CurlError(message: "'\(name)' has no value", hint: "copy all of the command, to its last line")
            }
        }
        switch option {
        case .ignored: break
        case .left(_, let reason): remarks.append("'\(name)' is not taken: \(reason)")
        case .refused(let reason, let hint):
            throw CurlError(message: "'\(name)' cannot be taken: \(reason)", hint: hint)
        case .taken(let part): try take(part, value ?? "", as: name)
        }
    }

    private mutating func take(_ part: CurlOption.Part, _ value: String, as name: String) throws {
        switch part {
        case .header: try takeHeader(value)
        case .data, .dataASCII:
            let text = value.hasPrefix("@") ? try content(String(value.dropFirst())) : value
            // curl leaves out the line breaks of a file that it sends as fields.
            add(data: value.hasPrefix("@") ? String(text.filter { !$0.isNewline && $0 != "\0" }) : text)
        case .dataRaw: add(data: value)
        case .dataBinary: add(data: value.hasPrefix("@") ? try content(String(value.dropFirst())) : value)
        case .dataURLEncode: add(data: try encoded(value))
        case .json:
            data = (data ?? "") + (value.hasPrefix("@") ? try content(String(value.dropFirst())) : value)
            isJSON = true
        case .urlQuery: query.append(value.hasPrefix("+") ? String(value.dropFirst()) : try encoded(value))
        case .get: isInQuery = true
        case .globoff: takesBrackets = true
        case .url: urls.append(value)
        case .head:
            throw CurlError(
                message: "'\(name)' cannot be taken: it asks for the headers alone",
                hint: "leave it out, to read the records")
        case .cookie where !value.contains("=") && !value.contains("${"):
            remarks.append("'\(name)' is not taken: garner reads no file of cookies; write --cookie 'name=value'")
        case .cookie: values[.cookie] = [values[.cookie], value].compactMap(\.self).joined(separator: "; ")
        case .referer where value.hasSuffix(";auto"): values[.referer] = String(value.dropLast(5))
        case .maxTime, .connectTimeout: try takeTime(value, as: part == .maxTime ? "total" : "connect", name)
        case .proxy where !(value.contains("://") ? value.lowercased().hasPrefix("http://") : !value.isEmpty):
            throw CurlError(
                message: "'\(name)' cannot be taken: garner goes through HTTP proxies only",
                hint: "name one as http://host:port")
        case .cert where value.dropFirst(2).contains(":"):
            throw CurlError(
                message: "'\(name)' cannot be taken: garner reads PEM files without a passphrase",
                hint: "convert the key with openssl, and leave the passphrase out")
        case .user where value.isEmpty || value == ":", .bearer where value.isEmpty: throw CurlError.lack(in: name)
        case .request, .user, .referer, .proxy, .cacert, .cert, .key, .userAgent, .bearer, .proxyUser:
            values[part] = value
        }
    }

    private mutating func takeHeader(_ text: String) throws(CurlError) {
        if text.hasPrefix("@") {
            remarks.append(
                "'-H @file' is not taken: garner reads no file of headers; write each one with -H 'Name: value'")
            return
        }
        if let lack = CurlError(lackingIn: text) { throw lack }
        let field: CurlCommand.Field
        if let colon = text.dropFirst().firstIndex(of: ":") {
            field = .init(
                name: String(text[..<colon].trimming(while: \.isWhitespace)),
                value: String(text[colon...].dropFirst().trimming(while: \.isWhitespace)))
            // `Name:` asks curl to leave a field of its own out.
            guard !field.value.isEmpty else { return }
        } else if text.hasSuffix(";") {
            field = .init(name: String(text.dropLast()), value: "")
        } else {
            throw CurlError(
                message: "-H takes a name and a value", hint: "write -H 'Name: value', with a colon between them")
        }
        headers.append(field)
    }

    private mutating func takeTime(_ value: String, as limit: String, _ name: String) throws(CurlError) {
        guard let seconds = Double(value), seconds.isFinite, seconds >= 0, seconds < 1e9 else {
            throw CurlError(message: "'\(name)' takes a number of seconds", hint: "write \(name) 30")
        }
        guard seconds > 0 else { return }
        limits.removeAll { $0.name == limit }
        limits.append(.init(name: limit, value: DurationText.format(.milliseconds(Int((seconds * 1000).rounded(.up))))))
    }

    private mutating func add(data text: String) { data = data.map { "\($0)&\(text)" } ?? text }

    /// Returns data as `--data-urlencode` takes them: `text`, `=text`, `name=text`, `@file` or `name@file`.
    private func encoded(_ value: String) throws -> String {
        guard let mark = value.firstIndex(where: { $0 == "=" || $0 == "@" }) else {
            return PercentEncoding.encoded(value)
        }
        let (name, rest) = (value[..<mark], String(value[mark...].dropFirst()))
        let text = value[mark] == "@" ? try content(rest) : rest
        return (name.isEmpty ? "" : "\(name)=") + PercentEncoding.encoded(text)
    }

    /// Returns the URL with the data that belong into its query.
    func url() throws(CurlError) -> String {
        guard let first = urls.first else {
            throw CurlError(message: "the command names no URL", hint: "write garner init -- curl 'https://…'")
        }
        guard urls.count == 1 else {
            throw CurlError(
                message: "the command names \(urls.count) URLs",
                hint: urls.contains("|")
                    ? "leave out '|' and the program behind it"
                    : "take one at a time, in quotes; 'garner add' adds the next")
        }
        guard !first.contains("${") else {
            throw CurlError(
                message: "the URL has a variable, which only a shell can insert",
                hint: "write its value, or give the command in words: garner init -- curl \"https://…\"")
        }
        var url = try expanded(first)
        if !url.contains("://") { url = "http://\(url)" }
        let added = query + (isInQuery ? data.map { [$0] } ?? [] : [])
        guard !added.isEmpty else { return url }
        let fragment = url.firstIndex(of: "#") ?? url.endIndex
        let separator = url[..<fragment].contains("?") ? (url[..<fragment].last == "?" ? "" : "&") : "?"
        return url[..<fragment] + separator + added.joined(separator: "&")
    }

    /// Returns the URL without curl's own notation of lists and ranges.
    private func expanded(_ url: String) throws(CurlError) -> String {
        guard !takesBrackets else { return url }
        let list = /(^|[^\\])(\{[^{}]*,[^{}]*\}|\[[0-9]+-[0-9]+(:[0-9]+)?\]|\[[a-zA-Z]-[a-zA-Z](:[0-9]+)?\])/
        guard url.firstMatch(of: list) == nil else {
            throw CurlError(
                message: "the URL has a list or a range, for which curl would send several requests",
                hint: "write one URL; partitions: { name: [a, b] } in garner.yaml reads several")
        }
        return url.replacing(/\\([\[\]{}])/) { $0.1 }
    }
}
