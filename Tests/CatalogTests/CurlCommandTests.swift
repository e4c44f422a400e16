import Testing

@testable import GarnerCatalog

/// The words of commands for three shells, and what their options become.
struct CurlCommandTests {
    private static let texts: [(String, [String])] = [
        (#"curl a 'b c' "d \"e\" \\ \x" f\ g"#, ["curl", "a", "b c", #"d "e" \ \x"#, "f g"]),
        ("curl a \\\n  b \\  \r\n c\nd", ["curl", "a", "b", "c"]),
        ("\n# what it is for\n$ curl ''x\"\"", ["$", "curl", "x"]),
        (#"curl $'a\'b\n\t\x41\u00e9\101\U0001F600\ud83d\ude00\q' $"x""#, ["curl", "a'b\n\tAéA😀😀\\q", "x"]),
        (#"curl "$A-${B}" '$A' $1 "$""#, ["curl", "${A}-${B}", "$A", "$1", "$"]),
        ("curl a > out.json b 2>&1 c 2>/dev/null | jq .", ["curl", "a", "b", "c"]),
        ("curl a; rm b", ["curl", "a"]), ("curl a && b", ["curl", "a"]), ("curl a#b #c", ["curl", "a#b"]),
        (#"curl -d "{\"a\":\"\"}""#, ["curl", "-d", #"{"a":""}"#]),
        // cmd
        ("curl ^\"a b^\" ^\n  -d ^\"^{^\\^\"a^\\^\":1^}^\" ^\r\n c & d", ["curl", "a b", "-d", #"{"a":1}"#, "c"]),
        ("curl ^\"a^\n\nb^\" ^\"^\"", ["curl", "a\nb", ""]),
        (#"curl "{""a"":""b&c""}" "d\"e" C:\f \\g"#, ["curl", #"{"a":"b&c"}"#, #"d"e"#, #"C:\f"#, #"\g"#]),
        // PowerShell
        (#"curl.exe 'a''b' "c`"d""e`n" `"f $env:G"#, ["curl.exe", "a'b", "c\"d\"e\n", "\"f", "${G}"]),
        (#"curl.exe -d '{\"a\":1}' "{\`"b\`":2}" | x"#, ["curl.exe", "-d", #"{"a":1}"#, #"{"b":2}"#]),
    ]

    @Test(arguments: texts)
    func `a text is split as its shell splits it`(text: String, words: [String]) throws {
        #expect(try CurlText.read(text).words == words)
    }

    /// Texts, and what follows their command.
    @Test(arguments: [
        ("curl a | jq '.canary'", "| jq"), ("curl a; echo", "; echo"), ("curl a && T=canary ./b", "&& T"),
        ("curl a\nrm b", "rm"),
        ("curl a\n# b\n", nil), ("curl a > b.json", nil), ("curl ^\"a^\" & del c", "& del"), ("curl.exe a | x", "| x"),
        ("curl a -d @- <<EOF\ncanary\nEOF", nil), ("curl a", nil),
    ])
    func `what follows a command is named`(text: String, left: String?) throws {
        #expect(try CurlText.read(text).left == left)
    }

    @Test(arguments: ["<<EOF\n{}\nEOF", "<<< '{}'", "< body.json"])
    func `data that only a shell gives are refused`(input: String) {
        let error = #expect(throws: CurlError.self) {
            try CurlCommand(["curl https://x.org -d @- \(input)"]) { _ in "canary" }
        }
        #expect(error?.message.contains("here-document") == true)
    }

    private static let unfinished: [(String, String)] = [
        ("curl 'a", "within quotes"), ("curl \"a", "within quotes"), ("curl $'a", "within quotes"),
        ("curl ^\"a", "within quotes"), ("curl.exe 'a", "within quotes"), ("curl $(canary)", "only a shell can run"),
        ("curl \"`canary`\"", "only a shell can run"), ("curl https://x.org/?a=1&b=canary", "'&' outside quotes"),
    ]

    @Test(arguments: unfinished)
    func `a text that only a shell could finish is refused`(text: String, words: String) {
        let error = #expect(throws: CurlError.self) { try CurlText.read(text) }
        #expect(error?.message.contains(words) == true && error?.message.contains("canary") == false)
    }

    /// Words after `curl`, and the header fields that come of them; nil for an error.
    private static let options: [([String], [String]?)] = [
        (["-sSLH", "A: b"], ["A: b"]), (["-HA:b", "-XPOST"], ["A: b"]), (["-H", "A:", "-H", "B;"], ["B: "]),
        (["--head", "A: b"], nil), (["--heade", "A: b"], ["A: b"]), (["--no-progress-meter", "--no-keepalive"], []),
        (["-b", "a=1", "-b", "b=2"], ["Cookie: a=1; b=2"]), (["-b", "cookies.txt", "-c", "jar"], []),
        (["-H", "A: 1", "-H", "a: 2"], ["A: 1, 2"]), (["-H", ":authority: x", "-H", "Authority: x"], []),
        (["-e", "https://y.example/;auto", "-A", ""], ["Referer: https://y.example/"]),
        (["-H", "@file"], []), (["-H", "canary"], nil), (["-H"], nil), (["-Q"], nil), (["--data=canary"], nil),
        (["--digest", "-u", "a:b"], nil), (["-T", "x"], nil), (["-r", "0-5"], nil), (["-K", "x"], nil),
        (["--next"], nil), (["-x", "socks5://y"], nil), (["--resolve", "a:1:b"], nil), (["-m", "nan"], nil),
        (["-E", "a.pem:canary"], nil), (["--compressed", "--http2", "-o", "x", "-w", "%{http_code}"], []),
    ]

    @Test(arguments: options)
    func `options become header fields, nothing, or an error`(options: [String], headers: [String]?) throws {
        let read = Result { try command(options + ["https://x.example/a"]) }
        switch read {
        case .success(let command): #expect(command.headers.map { "\($0.name): \($0.value)" } == headers)
        case .failure(let error as CurlError): #expect(headers == nil && !"\(error)".contains("canary"), "\(error)")
        case .failure(let error): Issue.record(error)
        }
    }

    private static let urls: [([String], String?)] = [
        (["x.example/a"], "http://x.example/a"), (["-G", "-d", "a=1", "https://x.example"], "https://x.example?a=1"),
        (["-G", "-d", "a=1", "-d", "b=2", "https://x.example/?c=3#d"], "https://x.example/?c=3&a=1&b=2"),
        (["--url-query", "q=a b", "--url-query", "+c=d", "https://x.example/e"], "https://x.example/e?q=a%20b&c=d"),
        (["-G", "--data-urlencode", "=a&b", "https://x.example/?"], "https://x.example/?a%26b"),
        (["-g", "https://x.example/?a=[1-3]"], "https://x.example/?a=[1-3]"), (["https://x.example/[1-3]"], nil),
        (["https://x.example/{a,b}"], nil), ([#"https://x.example/?f\[a\]=1"#], "https://x.example/?f[a]=1"),
        (["https://x.example/${ID}"], nil), (["--", "-x"], "http://-x"), ([], nil), (["a", "b"], nil),
    ]

    @Test(arguments: urls)
    func `the URL has the data that belong into it`(words: [String], url: String?) throws {
        #expect((try? command(words))?.url == url)
    }

    @Test func `the body is JSON, a form or a text, as its type and its text say`() throws {
        func body(_ options: String...) throws -> CurlCommand.Body? {
            try command(options + ["https://x.example"]).body
        }
        #expect(try body("-d", "[1]") == .json("[1]"))
        #expect(
            try body("-d", "a=b%20c", "-d", "d=")
                == .form([.init(name: "a", value: "b c"), .init(name: "d", value: "")]))
        #expect(try body("-d", "a=b", "-H", "Content-Type: application/json") == .text("a=b"))
        #expect(try body("-d", "[1]", "-H", "Content-Type: application/x-www-form-urlencoded") == .text("[1]"))
        #expect(try body("-d", "[1]", "-H", "Content-Type: application/vnd.api+json") == .json("[1]"))
        #expect(try body("-d", "word") == .text("word"))
        #expect(try body("-d", "") == nil && command(["-d", "", "https://x.example"]).method == "POST")
        #expect(try body("--data-raw", "@a=b") == .form([.init(name: "@a", value: "b")]))
        #expect(
            try body("-d", "@f", "--data-binary", "@f")
                == .form([.init(name: "a", value: "b"), .init(name: "a", value: "b\r\n")]))
        #expect(try body("--data-urlencode", "x@f") == .form([.init(name: "x", value: "a=b\r\n")]))
        #expect(try body("--json", "{\"a\":", "--json", "1}") == .json("{\"a\":1}"))
    }

    @Test func `credentials come from options, a header or the URL`() throws {
        let url = "https://u%20:p@x.example/a"
        #expect(try command([url]).user == "u :p" && command([url]).url == "https://x.example/a")
        #expect(try command(["-u", "a:b:c", url]).user == "a:b:c")
        let bearer = try command(["-u", "a:b", "-H", "Authorization: Bearer t", url])
        #expect(bearer.user == nil && bearer.token == "t" && bearer.headers.isEmpty)
        let other = try command(["--oauth2-bearer", "t", "-H", "authorization: Token t2", url])
        #expect(other.user == nil && other.token == nil && other.headers.map(\.value) == ["Token t2"])
    }

    @Test func `the way to the server becomes lines of the source`() throws {
        let command = try command([
            "-m", "1.5", "--connect-timeout", "3", "-x", "me:canary@p.example:3128", "--cacert", "ca.pem", "-E",
            "c.pem", "-k",
            "https://x.example/a",
        ])
        #expect(command.limits.map { "\($0.name) \($0.value)" } == ["total 1s500ms", "connect 3s"])
        var request = StarterRequest(source: "zoo")
        request.setProxy(CurlCommand(url: try #require(command.proxy)), user: command.proxyUser)
        request.setCertificate(try #require(command.certificate), key: command.key ?? "c.pem")
        request.setAuthority(try #require(command.authority))
        #expect(
            request.sourceLines == [
                #"proxy: { url: "http://p.example:3128", username: "${ZOO_PROXY_USER}", password: "${ZOO_PROXY_PASSWORD}" }"#,
                #"client_certificate: { certificate: "c.pem", key: "c.pem" }"#, #"ca: "ca.pem""#,
            ])
        #expect(command.remarks.count == 1 && command.remarks[0].hasPrefix("'-k' is not taken: "))
    }

    private func command(_ words: [String]) throws -> CurlCommand {
        try CurlCommand(["curl"] + words) { name in name == "f" ? "a=b\r\n" : "" }
    }
}
