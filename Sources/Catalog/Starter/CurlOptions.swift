/// The use that Garner has for an option of curl.
enum CurlOption {
    /// It becomes part of the request.
    case taken(Part)
    /// It changes nothing that Garner sends.
    case ignored(takesValue: Bool)
    /// It is named and left out. The request means the same without it.
    case left(takesValue: Bool, reason: String)
    /// The request would mean something else without it.
    case refused(reason: String, hint: String)

    /// The options that become part of the request, by their long names.
    enum Part: String, CaseIterable {
        case request, header, data, json, get, head, user, cookie, referer, proxy, cacert, cert, key, url, globoff
        case dataRaw = "data-raw"
        case dataASCII = "data-ascii"
        case dataBinary = "data-binary"
        case dataURLEncode = "data-urlencode"
        case urlQuery = "url-query"
        case userAgent = "user-agent"
        case bearer = "oauth2-bearer"
        case maxTime = "max-time"
        case connectTimeout = "connect-timeout"
        case proxyUser = "proxy-user"

        var takesValue: Bool { ![.get, .head, .globoff].contains(self) }
    }

    var takesValue: Bool {
        switch self {
        case .taken(let part): part.takesValue
        case .ignored(let takesValue), .left(let takesValue, _): takesValue
        case .refused: false
        }
    }

    /// Returns the option of a long name. curl takes the beginning of a name if it is that of only one option.
    init?(long name: String) {
        if let option = Self.known[name] {
            self = option
            return
        }
        let candidates = Self.known.filter { $0.key.hasPrefix(name) }
        if candidates.count == 1, let option = candidates.first?.value {
            self = option
        } else if name.hasPrefix("no-"), let option = CurlOption(long: String(name.dropFirst(3))), !option.takesValue {
            self = .ignored(takesValue: false)
        } else {
            return nil
        }
    }

    init?(short letter: Character) {
        guard let option = Self.letters[letter].flatMap(CurlOption.init(long:)) else { return nil }
        self = option
    }

    private static let letters: [Character: String] = [
        "#": "progress-bar", "0": "http1.0", "1": "tlsv1", "2": "sslv2", "3": "sslv3", "4": "ipv4", "6": "ipv6",
        ":": "next", "A": "user-agent", "C": "continue-at", "D": "dump-header", "E": "cert", "F": "form", "G": "get",
        "H": "header", "I": "head", "J": "remote-header-name", "K": "config", "L": "location", "N": "no-buffer",
        "O": "remote-name", "R": "remote-time", "S": "show-error", "T": "upload-file", "U": "proxy-user",
        "X": "request", "Y": "speed-limit", "Z": "parallel", "b": "cookie", "c": "cookie-jar", "d": "data",
        "e": "referer", "f": "fail", "g": "globoff", "i": "include", "j": "junk-session-cookies", "k": "insecure",
        "m": "max-time", "n": "netrc", "o": "output", "p": "proxytunnel", "q": "disable", "r": "range", "s": "silent",
        "u": "user", "v": "verbose", "w": "write-out", "x": "proxy", "y": "speed-time", "z": "time-cond",
    ]

    private static let known: [String: CurlOption] = {
        var known: [String: CurlOption] = [:]
        func add(_ names: String, _ option: CurlOption) {
            for name in names.split(separator: " ") { known[String(name)] = option }
        }
        for part in Part.allCases { known[part.rawValue] = .taken(part) }
        add(
            """
            silent show-error verbose include show-headers compressed location fail fail-with-body fail-early http1.0 \
            http1.1 http2 http2-prior-knowledge http3 http3-only no-buffer no-keepalive keepalive no-progress-meter \
            progress-meter progress-bar remote-name remote-name-all remote-header-name remote-time \
            retry-all-errors retry-connrefused basic tcp-nodelay tcp-fastopen tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 sslv2 \
            sslv3 ssl ssl-reqd ipv4 ipv6 parallel styled-output create-dirs clobber trace-time trace-ids disable alpn \
            sessionid junk-session-cookies post301 post302 post303 path-as-is xattr raw false-start tr-encoding \
            proxytunnel proxy-basic disallow-username-in-url
            """, .ignored(takesValue: false))
        add(
            """
            output output-dir cookie-jar write-out dump-header retry retry-delay retry-max-time limit-rate \
            keepalive-time speed-limit speed-time max-redirs stderr trace trace-ascii ciphers tls13-ciphers curves tls-max \
            happy-eyeballs-timeout-ms create-file-mode expect100-timeout rate alt-svc hsts parallel-max proto \
            proto-redir proto-default max-filesize
            """, .ignored(takesValue: true))
        add(
            "insecure proxy-insecure",
            .left(
                takesValue: false, reason: "garner always checks certificates; name an authority of your own with 'ca'")
        )
        add(
            "location-trusted",
            .left(takesValue: false, reason: "garner follows redirects, and sends no secrets to other hosts"))
        add(
            "netrc netrc-optional",
            .left(takesValue: false, reason: "garner reads no .netrc; write --user name:password"))
        add("netrc-file", .left(takesValue: true, reason: "garner reads no .netrc; write --user name:password"))
        add("time-cond", .left(takesValue: true, reason: "garner remembers itself what it has read"))
        add("noproxy", .left(takesValue: true, reason: "garner goes by 'proxy', and the variable no_proxy"))
        add("anyauth", .left(takesValue: false, reason: "garner sends the name and the password at once"))
        add("interface dns-servers", .left(takesValue: true, reason: "the system chooses the way"))
        add(
            "form form-string form-escape",
            .refused(
                reason: "it sends a form with files; garner sends JSON, form fields and text",
                hint: "send the fields with --data, if the API takes them so"))
        add(
            "upload-file",
            .refused(reason: "it sends a file; garner reads", hint: "take the command that lists records"))
        add(
            "range continue-at",
            .refused(reason: "it asks for a part of a document", hint: "leave it out to read all of it"))
        add(
            "digest ntlm negotiate aws-sigv4 krb delegation",
            .refused(
                reason: "garner does not sign requests in this way",
                hint: "let a program make the headers: auth: { type: command, run: [./sign.sh], output: json }"))
        add(
            "unix-socket abstract-unix-socket resolve connect-to doh-url socks4 socks4a socks5 socks5-hostname preproxy",
            .refused(
                reason: "it leads the request elsewhere", hint: "leave it out, and write the URL that garner can reach")
        )
        add(
            "next",
            .refused(
                reason: "it begins a second request", hint: "take one request at a time; 'garner add' adds the next"))
        add("config", .refused(reason: "it names a file with further options", hint: "write them into the command"))
        add(
            "pass cert-type key-type engine",
            .refused(
                reason: "garner reads PEM files without a passphrase",
                hint: "convert the key with openssl, and leave it out"))
        return known
    }()
}
