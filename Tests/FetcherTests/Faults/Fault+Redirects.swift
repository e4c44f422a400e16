import GarnerCatalog
import TestSupport

extension Fault {
    /// The server sends us elsewhere.
    static let redirects: [Fault] =
        [
            redirect("redirects to ../x", "../x", .page), redirect("redirects to ?q", "?q", .page),
            redirect("redirects to /x", "/x", .page), redirect("redirects to #f", "#f", .error("redirect")),
            redirect("redirects to an empty Location", "", .error("redirect")),
            Fault("redirects without a Location", .error("redirect")) {
                $0.answer.with { $0.status = "302 Found" }.reply
            },
            Fault("redirects to //h", .page) {
                $0.isForPage ? redirection(to: "//\($0.server.dropFirst(7))/x", $0) : nil
            },
            Fault("redirects to a whole URL", .page) { $0.isForPage ? redirection(to: "\($0.server)/x", $0) : nil },
            Fault("redirects with 307 and a body", .page, in: .all) { occasion in
                guard occasion.isForPage else { return nil }
                return occasion.answer.with {
                    $0.status = "307 Temporary Redirect"; $0.fields.append(("Location", "/x"))
                }.reply
            },
            Fault("redirects with a body for ever", .page) { occasion in
                guard occasion.isForPage else { return nil }
                let answer = occasion.answer.with {
                    $0.status = "302 Found"; $0.fields.append(("Location", "/x"))
                }
                return LoopbackReply(.bytes(answer.head(framing: [])), .endless(spaces))
            },
            Fault("redirects, and stalls inside the body", .page) { occasion in
                guard occasion.isForPage else { return nil }
                return occasion.answer.with {
                    $0.status = "302 Found"; $0.fields.append(("Location", "/x"))
                }.cut(after: 30, then: .stall)
            },
            Fault("redirects without a length, and stays open", .page) { occasion in
                guard occasion.isForPage else { return nil }
                let answer = occasion.answer.with {
                    $0.status = "302 Found"; $0.fields.append(("Location", "/x"))
                }
                return LoopbackReply(.bytes(answer.head(framing: [])), .stall)
            },
            Fault("redirects in a circle", .error("redirect")) {
                redirection(to: $0.isForPage ? "/x?" + $0.request.target : String($0.request.target.dropFirst(3)), $0)
            },
            Fault("redirects to the same URL again", .error("redirect")) { redirection(to: "/x", $0) },
            Fault("redirects 30 times", .error("redirect")) { occasion in
                let hop = occasion.request.target.split(separator: "hop=").last.flatMap { Int($0) } ?? 0
                return hop == 30 ? nil : redirection(to: "/x?hop=\(hop + 1)", occasion)
            },
            Fault("redirects 5 times", .page) { occasion in
                let hop = occasion.request.target.split(separator: "hop=").last.flatMap { Int($0) } ?? 0
                return hop == 5 ? nil : redirection(to: "/x?hop=\(hop + 1)", occasion)
            },
            redirect("redirects to file:", "file:///etc/passwd", .error("redirect")),
            redirect("redirects to ftp:", "ftp://zoo.example/animals", .error("redirect")),
            redirect("redirects to data:", "data:application/json,[]", .error("redirect")),
            redirect("redirects to a URL with a password", "http://user:pw@zoo.example/", .error("redirect")),
            redirect("redirects to what is no URL", "http://[", .error("redirect")),
            Fault("redirects from https to http", .error("redirect")) { redirection(to: "\($0.server)/x", $0) }
                .with { $0.place = .secureServer },
        ] + privateNetworks

    private static let privateNetworks = [
        "127.0.0.1:1", "[::1]:1", "169.254.169.254", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1",
        "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "0.0.0.0", "10.0.0.1", "LOCALHOST.",
    ].map { host in
        redirect("redirects to \(host)", "http://\(host)/latest/meta-data", .error("private_network"))
            .with { $0.change = { $0.allowsPrivateNetwork = nil } }
    }

    private static func redirect(_ name: String, _ location: String, _ outcome: Outcome) -> Fault {
        Fault(name, outcome) { $0.isForPage ? redirection(to: location, $0) : nil }
    }

    private static func redirection(to location: String, _ occasion: FaultServer.Occasion) -> LoopbackReply {
        occasion.answer.with {
            $0.status = "302 Found"; $0.fields.append(("Location", location)); $0.body = []
        }.reply
    }
}
