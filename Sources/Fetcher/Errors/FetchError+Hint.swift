import GarnerCatalog
import GarnerJSON
import GarnerModel

extension FetchError {
    /// A sentence that tells the user how to fix the problem.
    package var hint: String {
        if let advice { return advice }
        if let hint = redirectHint ?? authenticationHint ?? refusalHint ?? linkHint ?? certificateHint
            ?? doubledPathHint
        {
            return hint
        }
        if asksTLSInPlainText {
            return "write https:// in place of http:// in base_url: the server speaks TLS on this port"
        }
        if case .status(405, _) = kind, let end = request?.endOfPost {
            return "the redirect made the POST a GET: "
                + (end.isEmpty
                    ? "set base_url and path to the address to which it leads"
                    : "write a / at the end of the path, as in path: \(end)")
        }
        if let otherMethod { return "write method: \(otherMethod) in the stream, which the server takes here" }
        if kind == .closed, url?.hasPrefix("http://") == true {
            return "\(kind.hint); if it speaks TLS there, write https:// in place of http:// in base_url"
        }
        if !isRateLimited, let wordHint { return wordHint }
        if case .status(let status, _) = kind, [400, 415, 422].contains(status),
            request?.words?.lowercased().contains("json") == true
        {
            return "\(kind.hint); a body in JSON is written below 'json:', not 'body:'"
        }
        if case .status(let status, _) = kind, [400, 422].contains(status),
            ["body", "payload"].contains(where: { request?.words?.lowercased().contains($0) == true })
        {
            return "\(kind.hint), and what the stream sends as json, form or body"
        }
        guard isRateLimited else {
            return kind == .unauthorized(status: 403) && credentials == nil && request != nil
                ? FetchError.Kind.unauthorized(status: 401).hint : kind.hint
        }
        let end = (request?.rateLimit?.reset ?? kind.retryAfter).map {
            " for another \(DurationText.format(.seconds($0.components.seconds)))"
        }
        return
            "the rate limit of this API is used up\(end ?? ""); wait, ask less often, or set rate_limit: { requests: 1, per: 1s } in the source"
    }

    /// The advice that the words of a server's refusal lead to; nil for anything else.
    private var wordHint: String? {
        switch kind {
        case .status(400, _), .status(415, _), .status(422, _), .unauthorized(status: 403): break
        default: return nil
        }
        return request?.words.flatMap { ServerWords.hint(for: $0, at: url) }
    }

    /// The advice on a refusal whose words say that the server does not know who asks; nil for anything else.
    private var refusalHint: String? {
        guard case .refusal(let reason) = kind else { return nil }
        let words = reason.lowercased()
        let known = ["not_authed", "invalid_auth", "unauthorized", "unauthenticated", "not logged in"]
        let keyHint = Self.hint(onKeyIn: words)
        guard keyHint != nil || known.contains(where: words.contains) else { return nil }
        return credentials.map { "check \($0), which was sent" } ?? keyHint
            ?? FetchError.Kind.unauthorized(status: 401).hint
    }

    /// The advice on a request without credentials whose server speaks of a key; nil for other words.
    private static func hint(onKeyIn words: String) -> String? {
        guard words.contains(/(?i)\b(?:x-)?api[ _-]?key\b/) else { return nil }
        return
            "set the stream's auth: nothing was sent that says who asks; a key is written auth: { type: api_key, name: X-API-Key, "
            + "value: \"${API_KEY}\" }, with in: query and the name of its parameter if it stands in the URL"
    }

    /// The advice on a key that the server does not find; nil if the server finds it.
    private var lostKeyHint: String? {
        guard let credentials, let words = request?.words?.lowercased(), words.contains("key"),
            ["no ", "missing", "not found", "required"].contains(where: words.contains)
        else { return nil }
        if credentials.contains("(the header '") { return "write in: query in auth if the API takes it in the URL" }
        if credentials.contains("(the parameter '") { return "write in: header in auth if the API takes it there" }
        return credentials.contains("Authorization: Bearer")
            ? "a key in a field of its own is written auth: { type: api_key, name: X-API-Key, value: \"${API_KEY}\" }"
            : nil
    }

    /// The advice on what comes of a redirect to another origin; nil for anything else.
    private var redirectHint: String? {
        guard let origin = request?.redirectedTo, let url, url != origin,
            !["/", "?"].contains(where: { url.hasPrefix(origin + $0) })
        else { return nil }
        switch kind {
        case .tls(Kind.noTLS):
            return
                "the server redirects to \(origin), where nothing speaks TLS: write the address of its https into base_url, "
                + "with its port, or ask the people who run it"
        case .unauthorized where credentials != nil && !isRateLimited:
            return
                "nothing that says who asks was sent to \(origin), to which the server redirects: write \(origin) into "
                + "base_url if that server is to get it"
        default: return nil
        }
    }

    /// The advice on a refusal with 401 of a request that had credentials, or whose server says which it wants; nil for anything else.
    private var authenticationHint: String? {
        if kind.category == .unauthorized, let scope = request?.scope, credentials != nil {
            return "the token lacks the scope '\(scope)': get one that has it, with scopes in auth for oauth2"
        }
        if kind == .unauthorized(status: 403), request?.words?.lowercased().contains("cloudflare") == true {
            return
                "a guard before the server holds off programs: set headers: { User-Agent: … } to one that the API's documentation "
                + "names, or ask the people who run it to let this machine in"
        }
        guard kind == .unauthorized(status: 401) else { return nil }
        if let scheme = request?.otherScheme {
            return
                "the server asks for \(scheme), which no type of auth is: ask the people who run it for a key or a token, or write the "
                + "address of a proxy that logs in so into base_url"
        }
        let wanted = (request?.schemes ?? []).compactMap(AuthorizationScheme.init)
        let isSent = wanted.contains { credentials?.contains("Authorization: \($0.rawValue) ") ?? false }
        guard let credentials else {
            return wanted.first.map {
                "set \($0.setting): the server asks for \($0.rawValue), and nothing was sent that says who asks"
            } ?? request?.words.flatMap(Self.hint(onKeyIn:))
        }
        // Credentials from a header of the file or from a program are not known here.
        let isKnown = ["Authorization: ", "'auth' (the "].contains(where: credentials.contains)
        let other = isSent || !isKnown ? nil : wanted.first
        if credentials.hasSuffix(RequestTemplate.withoutScheme) {
            let scheme = (wanted.first ?? .bearer).rawValue
            return "check \(credentials), which was sent; write headers: { Authorization: \"\(scheme) ${API_TOKEN}\" }"
        }
        let isOver = request?.words?.lowercased().contains("expired") == true
        return "check \(credentials), which was sent"
            + (isOver ? "; it is over, as the server says: get a new one, and export it again" : "")
            + (lostKeyHint.map { "; \($0)" } ?? "")
            + (other.map { "; the server asks for \($0.rawValue): \($0.setting)" } ?? "")
    }

    /// The advice on a link by https on a page of the same host that came by http; nil for anything else.
    private var linkHint: String? {
        guard case .linkToOtherOrigin(let origin) = kind, let link = WebAddress(origin + "/"),
            let page = url.flatMap({ WebAddress($0) }), link.host == page.host, link.scheme == "https",
            page.scheme == "http"
        else { return nil }
        return
            "write https:// in place of http:// in base_url, as the links have it; if nothing speaks TLS there, the links are "
            + "wrong: set a paginator that makes the addresses, such as page_number"
    }

    /// The advice on a certificate that may be over, with the line that says so; nil for anything else.
    private var certificateHint: String? {
        guard kind == .tls(reason: Kind.untrusted),
            let origin = (request?.redirectedTo ?? url).flatMap({ WebAddress($0) })?.origin
        else { return nil }
        return "see whose it is, and whether its time is over: "
            + "openssl s_client -connect \(origin.host):\(origin.port) </dev/null | openssl x509 -noout -issuer -dates; "
            + "to trust a server that vouches for itself, end that line with '| openssl x509 > server.pem', and write "
            + "ca: server.pem in the source"
    }

    /// The advice on a URL with the same folders twice, as where base_url ends and path begins with them; nil for anything else.
    private var doubledPathHint: String? {
        guard case .status(404, _) = kind, let path = url.flatMap({ WebAddress($0) })?.path,
            let match = path.firstMatch(of: /((?:\/[\w.~-]+)+?)\1(?=\/|$)/), match.1.contains(where: \.isLetter)
        else { return nil }
        let rest = path[match.range.upperBound...]
        return
            "\(match.1) stands in the URL twice, as where base_url ends and path begins with it: leave it out of path"
            + (rest.isEmpty ? "" : ", as in path: \(rest)")
    }

    /// The method that the server takes in place of the one that it refused; nil if it names none.
    package var otherMethod: String? {
        if case .status(405, _) = kind { request?.otherMethod } else { nil }
    }

    /// True if the server says that a plain request came to its port of TLS, as nginx, Go and Apache word it.
    private var asksTLSInPlainText: Bool {
        guard case .status(400, _) = kind, let words = request?.words?.lowercased() else { return false }
        return [
            "http request was sent to https port", "http request to an https server", "http to an ssl-enabled server",
        ]
        .contains(where: words.contains)
    }

    /// True if the server refused because its rate limit is exhausted, whatever the status.
    package var isRateLimited: Bool {
        switch kind {
        case .status(403, _?): true
        case .unauthorized(403), .status(429, _): request?.rateLimit?.remaining == 0
        default: false
        }
    }
}

extension FetchError.Kind {
    /// The reason of `tls` for a certificate without the host's name.
    static let otherHost = "the certificate is for another host"

    /// The reason of `tls` for a server that answers in plain text.
    static let noTLS = "the server does not speak TLS on this port"

    /// The reason of `tls` for a certificate that is over, or whose authority is not known.
    static let untrusted = "the certificate is not valid, or none of the trusted roots stands behind it"

    /// True for the media type of data in another format than JSON.
    private static func isOtherFormat(_ type: String) -> Bool {
        let type = type.lowercased()
        return !type.contains("html") && ["csv", "tab-separated", "xml", "excel"].contains(where: type.contains)
    }

    /// How the reason of `shape` ends for a record that already has the new name of a field.
    static let takenName = ", which another is renamed to"

    /// How it ends for a record that already has the name of a column of `fields.add`.
    static let addedName = ", which 'add' makes of others"

    /// The words in the place of a gzip file's first bytes.
    static let gzipFile = "a gzip file"

    /// The reason of `json` for a page of HTML or XML that is declared as JSON.
    static let markup = "HTML or XML"

    var hint: String {
        switch self {
        case .misconfigured: "correct the stream's configuration"
        case .token(_, let problem): problem.hint
        case .privateNetwork: "set allow_private_network: true if this host is meant"
        case .certificates: "set ca to a PEM file with the certificates to trust, or remove it to trust the system's"
        case .clientCertificate:
            "set client_certificate to the PEM files of a certificate and of its private key, without a passphrase"
        case .unknownHost: "check the host name in base_url, and the network"
        case .refused, .unreachable, .closed, .connection:
            "check that the server is running and that base_url names its port"
        case .tls(Self.noTLS):
            "write http:// in place of https:// in base_url if this port is one of plain HTTP, or name the port of https"
        case .tls(Self.otherHost):
            "write a host into base_url that the certificate is for; this shows them: openssl s_client -connect HOST:PORT </dev/null | openssl x509 -noout -text"
        case .tls:
            "check the server's certificate, and the host and port in base_url; ca names the roots to trust"
        case .proxy(_, let problem): problem.hint
        case .malformedResponse:
            "check that base_url names the port of HTTP, or https:// for one of TLS; if it does, the server or a proxy before it is at fault"
        case .incompleteBody, .wrongDigest:
            "try again later; if it stays, the server or a proxy before it is at fault"
        case .decompression: "try again later; if it stays, the server's compression is at fault"
        case .deadline(let deadline, _): "try again later, or raise limits: \(deadline.rawValue)"
        case .headTooLarge: "raise limits: head"
        case .bodyTooLarge: "ask for smaller pages, or raise limits: body"
        case .excessiveRatio: "raise limits: ratio if the server is to be trusted"
        case .unauthorized(401):
            "set the stream's auth, such as auth: { type: bearer, token: \"${API_TOKEN}\" }: nothing was sent that says who asks"
        case .unauthorized: "check that the account of the stream's auth may read this"
        case .redirect(_, .insecure): "ask the people who run the API to redirect to https"
        case .redirect: "set base_url and path to the address that is meant"
        case .status(202, _):
            "try again later, or raise retry: max_attempts; if this API answers always so, set response_actions: [ { status: 202, action: accept } ]"
        case .status(402, _): "see what the server says: the account is to pay, or its plan does not have this"
        case .status(404, _), .status(410, _): "check base_url, path and the values that path takes"
        case .response(_, .retry, _): "try again later, or correct response_actions"
        case .response: "see what the server says of it; correct response_actions if it is none to fail on"
        case .status(405, _): "check path and method"
        case .status(304, _):
            "remove If-None-Match and If-Modified-Since from headers: Garner asks for changes by itself"
        case .status(406, _): "write headers: { Accept: application/json }, or the media type that the API names"
        case .status(413, _): "send less in json, form or body, or ask in parts"
        case .status(451, _): "the server may not give this; nothing in the file changes that"
        case .status(415, _): "check json, form or body, and the Content-Type in headers"
        case .status(429, _), .rateLimited:
            "wait, ask less often, or set rate_limit: { requests: 1, per: 1s } in the source"
        case .status(let status, _) where status >= 500:
            "try again later; if it stays, the server is at fault: ask the people who run it"
        case .status: "check path, params and headers"
        case .mediaType where undeclaredJSON == "*/*": "if this is the data, add \"*/*\" to media_types in response"
        case .mediaType where undeclaredJSON != nil:
            "if this is the data, add \(undeclaredJSON ?? "") to media_types in response"
        case .mediaType(let type?, _) where Self.isOtherFormat(type):
            "Garner reads JSON and JSON Lines: ask for one of them, often with headers: { Accept: application/json } or params: { format: json }"
        case .mediaType(let type?, _) where type.lowercased().contains("javascript"):
            "if this is JSONP, leave out the parameter that names the function, often callback; else check that the URL is that of a JSON API"
        case .mediaType(let type, Self.gzipFile):
            Self.unpacking(type.flatMap(MediaType.init)?.name ?? "\"*/*\"")
        case .mediaType, .json(Self.markup, _):
            "check that the URL is that of a JSON API and not of a page for people, as a login is that comes without auth; some servers need headers: { Accept: application/json }"
        case .charset(let charset):
            ResponseFormat.Charset(rawValue: charset) == nil
                ? "ask the server for UTF-8" : "set response: { charset: \(charset) }, or ask the server for UTF-8"
        case .emptyBody(204):
            "check path and params, or set response_actions: [{ status: 204, action: ignore }] if it means that there are no records"
        case .emptyBody: "check path and params"
        case .json(let reason, _) where reason == JSONError.textAfterValue:
            "if each line is a JSON value, set response: { format: json_lines }; else the server sends broken JSON"
        case .json(let reason, _) where reason.hasSuffix(JSONError.notUTF8):
            "if the text is in another encoding, name it: response: { charset: iso-8859-1 }, or windows-1252; else the server sends broken JSON"
        case .json(let reason, 0) where reason.hasSuffix(JSONError.notJSON):
            "the text does not begin as JSON does: check path, and that the API is asked for JSON, often with headers: { Accept: application/json } or params: { format: json }"
        case .json(let reason, _):
            ForeignJSON.advice(on: reason) ?? "try again later; if it stays, the server sends broken JSON"
        case .openEnd: "ask the server for application/json, or for HTTP/1.1 with Content-Length or chunks"
        case .missingPath(let selector, let found):
            Self.near(selector, among: found).map { "did you mean \($0)?" }
                ?? "correct record_selector; if you remove it, Garner looks for the records itself"
        case .noArray: "correct record_selector; if you remove it, Garner looks for the records itself"
        case .severalArrays(let names):
            "set the one that is meant: "
                + names.prefix(5).map { "record_selector: $\(Selector.shortSegment(named: $0))[*]" }.joined(
                    separator: "; or ")
        case .scalar("a string"):
            "check path, which is to lead to an object or array; if the string holds JSON, ask for that itself, often with headers: "
                + "{ Accept: application/json }"
        case .scalar: "check path, which is to lead to an object or array"
        case .linkToOtherOrigin(let origin) where origin.hasPrefix("http:"):
            "set allow_cross_origin: true in paginator if that origin is meant; it gets no credentials, and nothing was sent to it"
        case .linkToOtherOrigin(let origin):
            "if it is the same server, write \(origin) into base_url; if it is another one, set allow_cross_origin: true in "
                + "paginator; it gets no credentials, and nothing was sent to it"
        case .secretInLink:
            "ask the server to leave credentials out of its links, or set a paginator that makes the addresses, such as page_number"
        case .invalidLink:
            "does the next page's URL stand elsewhere, or is this a cursor? Set the paginator that reads it"
        case .pageZeroAgain:
            "write base_page: 1 in paginator if the pages are numbered from 1; \(Self.ofAnotherParameter)"
        case .unchangedPage:
            Self.ofAnotherParameter
        case .lastPageAgain(let pages, _, _):
            "the server seems to repeat its last page: set last_when in paginator to what that page says, or max_pages: \(pages)"
        case .unclearPaging(_, let settings):
            "add one of these lines to the stream: \(settings.map(\.description).joined(separator: "; or "))"
        case .arrayInRecord(let name):
            "set record_selector: $ for the one record, or record_selector: $\(Selector.shortSegment(named: name))[*] for the array"
        case .refusal: "see what the server says; record_selector: $ takes the body as a record all the same"
        case .graphQL: "correct the stream's json, or the permissions of its auth"
        case .shape(let reason, _) where reason.hasSuffix(Self.takenName):
            "rename names the old field first: if this one is to have the new name, write rename: { \(Self.quotedName(in: reason)): NEW }; "
                + "else drop or rename that field too in 'fields', or choose another new name"
        case .shape(let reason, _) where reason.hasSuffix(Self.addedName):
            "drop or rename that field too in 'fields', or choose another new name"
        case .shape:
            "correct record_shape, fields or record_selector, which names the whole value that holds the records, without [*]"
        case .filterLimit(_, let key):
            "ask for smaller pages, or write \(key) without '..' and filters inside its queries"
        case .unusableValue: "correct the parent's record or the stream's path"
        case .fileType: "add the type to media_types of the attachment if it is meant"
        case .documentType(let type, _, _): "accept \(type ?? "*/*") too if it is meant"
        case .noText: "take its bytes, or ask the server for another charset"
        case .unwritable: "check that the folder exists, that you may write in it, and that the disk has space"
        case .invalidFileURL: "remove the field from attachments, or have its records corrected"
        // The address of a page as the value of a parameter of its own.
        case .repeatedPage(let url) where url.contains("=http%3A%2F%2F") || url.contains("=https%3A%2F%2F"):
            "is the cursor the next page's URL? Write json_link in place of cursor in paginator, and next_url_path in place of "
                + "cursor_path"
        case .repeatedPage:
            "does another parameter take the cursor? Set cursor_param. Is next_url_path that of the page itself, such as $.links.self? "
                + "Write that of the next one, such as $.links.next. Or how does the API say which page is the last? Set last_when in "
                + "paginator to that, or max_pages"
        case .repeatedRecords, .endlessEmptyPages:
            "how does the API say which page is the last? Set last_when in paginator to that, or max_pages"
        }
    }
}

extension ProxyError {
    fileprivate var hint: String {
        switch self {
        case .unknownHost, .refused, .unreachable:
            "check the proxy, which the file or http_proxy and https_proxy of the environment name; proxy: none goes without"
        case .unauthorized: "set proxy: { url: …, username: …, password: … }"
        case .noTunnel: "check base_url, and whether the proxy allows its host and port; proxy: none goes without"
        case .unusable: "write http://host:port into the variable, or set proxy"
        case .numericHost: "write the host's name into base_url, or set proxy: none"
        }
    }
}

extension FetchError.Kind {
    private static func unpacking(_ type: String) -> String {
        "Garner unpacks it: if each line in it is a JSON value, set response: { media_types: [\(type)], format: json_lines }; if "
            + "all of it is one, set response: { media_types: [\(type)] }"
    }

    /// Returns the name in quotes of a reason, as YAML writes it; `OLD` if there is none.
    fileprivate static func quotedName(in reason: String) -> String {
        reason.firstMatch(of: /'(.+)'/).map { YAMLText.scalar(String($0.1)) } ?? "OLD"
    }

    /// The advice on a server that gives the same page whatever it is asked for.
    private static let ofAnotherParameter =
        "does another parameter select the page, or is this all? Name the parameter in paginator, with page_param, offset_param or "
        + "cursor_param, or remove the paginator and run 'garner init --update', which looks for it"

    /// Returns the selector that begins with the key which is there in place of a misspelt one; nil if there is none.
    fileprivate static func near(_ selector: String, among found: [String]) -> String? {
        guard let parts = selector.wholeMatch(of: /\$\.([A-Za-z_]\w*)(.*)/)?.output, !found.contains(String(parts.1)),
            let key = Suggestion.closest(to: String(parts.1), among: found)
        else { return nil }
        return "$\(Selector.shortSegment(named: key))\(parts.2)"
    }
}
