import GarnerCatalog
import TestSupport
import Testing
@testable import GarnerFetcher

@Suite(.timeLimit(.minutes(5)))
struct PrivateNetworkTests {
    private static let `private` = [
        "localhost", "LOCALHOST", "localhost.", "api.localhost", "127.0.0.1", "127.0.0.1.", "127.1", "127.255.255.254",
        "0.0.0.0", "0",
        "2130706433", "0x7f000001", "0x7F.1", "0177.0.0.1", "017700000001", "10.0.0.1", "10.255.255.255", "172.16.0.1",
        "172.31.255.255", "192.168.0.1", "192.168.257", "169.254.169.254", "0xa9fea9fe", "100.64.0.1",
        "100.127.255.255", "192.0.0.1", "0xc0.0.1", "192.0.2.1", "192.0.2.255", "192.88.99.1", "198.18.0.1",
        "198.19.255.255", "0306.022.0.1", "198.51.100.7", "203.0.113.255",
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "%31%32%37.0.0.1", "%6cocalhost", "[::1]",
        "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        "[::127.0.0.1]", "[::8.8.8.8]",
        "[::FFFF:10.1.2.3]", "[fe80::1]", "[fe80::1%25eth0]", "[febf::1]", "[fec0::1]", "[fc00::1]", "[fdff::1]",
        "[ff02::1]",
        "[64:ff9b::10.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]", "[2002:c0a8:1::1]", "[2002:c612::1]",
        "[::ffff:198.18.0.1]", "[64:ff9b::203.0.113.1]", "[64:ff9b:1::808:808]", "[100::1]", "[100:0:0:1::1]",
        "[2001::1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[2001:2::1]", "[2001:10::1]", "[2001:20::1]",
        "[2001:1ff::1]", "[2001:db8::1]", "[2001:0DB8:0:0::1]", "[3fff::1]", "[3fff:fff::1]", "[5f00::1]", "[1::]",
        "[fbff::1]", "[4000::1]", "[fe80::1%25lo]", "[fe80::1%25no-such]",
    ]

    @Test(arguments: `private`)
    func `a private host is not reached unless it is allowed`(host: String) async throws {
        let address = try #require(WebAddress("http://\(host)/"))
        #expect(PrivateNetwork.contains(address.host))
        let kind = await failureKind(of: { try await Self.fetch(host, isAllowed: false) })
        #expect(kind == .privateNetwork(host: address.host))
        #expect(kind?.category == .misconfigured)
        #expect(await failureKind(of: { try await Self.fetch(host, isAllowed: true) }) == nil)
    }

    private static let `public` = [
        "zoo.example", "localhost.example", "notlocalhost", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0",
        "126.255.255.255", "128.0.0.1",
        "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "169.253.0.1", "169.255.0.1",
        "100.63.255.255", "100.128.0.0",
        "192.0.1.0", "192.0.3.0", "192.88.98.1", "192.88.100.1", "198.17.255.255", "198.20.0.0", "198.51.99.255",
        "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "127.0.0.1.example", "10.example",
        "256.0.0.1", "1.2.3.4.5",
        "0x7f.0.0.1.example", "08.8.8.8",
        "134744072", "[2606:4700::1111]", "[2001:200::1]", "[2001:4860:4860::8888]", "[2001:db7::1]", "[2001:db9::1]",
        "[3ffe:ffff::1]", "[2003::1]", "[::ffff:8.8.8.8]", "[64:ff9b::808:808]", "[2002:808:808::1]",
    ]

    @Test(arguments: `public`)
    func `a public host is reached`(host: String) async throws {
        let address = try #require(WebAddress("http://\(host)/"))
        #expect(!PrivateNetwork.contains(address.host))
        #expect(await failureKind(of: { try await Self.fetch(host, isAllowed: false) }) == nil)
    }

    @Test(
        arguments: [("localhost", nil), ("10.0.0.1", nil), ("localhost", false), ("zoo.example", nil)]
            as [(String, Bool?)])
    func `a base URL that names a private host allows it, unless it is said`(host: String, isAllowed: Bool?)
        async throws
    {
        let kind = await failureKind(of: { try await Self.fetch(host, isAllowed: isAllowed) })
        #expect(kind == (isAllowed == false ? .privateNetwork(host: host) : nil))
    }

    private static let linkLocal = [
        "169.254.169.254", "169.254.0.1", "0xa9fea9fe", "2852039166", "[fe80::1]", "[febf::1%25eth0]",
        "[::ffff:169.254.169.254]", "[::169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a9fe:a9fe]",
        "[2002:a9fe:a9fe::1]", "[fd00:ec2::254]",
        "[fd20:ce::254]", "[::ffff:0:a9fe:a9fe]", "[64:ff9b:1:a9fe:a9:fe00::]", "[64:ff9b:1:aa9:fe:a9fe::]",
        "[64:ff9b:1:0:a9:fea9:fe00:0]",
    ]

    /// There, clouds tell machines their credentials.
    @Test(arguments: linkLocal)
    func `a base URL that names an address of one link does not allow it without the key`(host: String) async throws {
        let named = try #require(WebAddress("http://\(host)/")).host
        #expect(await failureKind { try await Self.fetch(host, isAllowed: nil) } == .privateNetwork(host: named))
        #expect(await failureKind { try await Self.fetch(host, isAllowed: true) } == nil)
    }

    @Test(
        arguments: [
            ("nas", .local), ("NAS.", .local), ("nas.local", .local), ("%6eas.lan", .local), ("a.home.arpa", .local),
            ("api.corp.internal", .local), ("home.arpa.example", .public), ("nas.example", .public), ("xlocal", .local),
            ("x.notlocal", .public), ("1.1.1.1", .public), ("localhost", .any), ("10.0.0.1", .any), ("[fd12::1]", .any),
            ("169.254.169.254", .public),
        ] as [(String, AddressRange)])
    func `the name in a base URL says where a request may lead, and the key says so before it`(
        host: String, range: AddressRange
    ) throws {
        let address = try #require(WebAddress("http://\(host)/animals"))
        let trace = RequestTrace(RequestEntry(sentAt: timing().now(), url: "\(address)"))
        let request = Request(address: address, headers: [], trace: trace)
        func reached(_ isAllowed: Bool?, from start: WebAddress) -> AddressRange? {
            let stream = stream(at: "\(start)") { $0.allowsPrivateNetwork = isAllowed }
            return try? AddressGuardMiddleware(stream, start: start).admitted(request).range
        }
        let isRefused = PrivateNetwork.contains(address.host)
        #expect(reached(nil, from: address) == (range == .public && isRefused ? nil : range))
        #expect(reached(true, from: address) == .any)
        #expect(reached(false, from: address) == (isRefused ? nil : .public))
        // A link or a redirect does not say what the owner means.
        let elsewhere = try #require(WebAddress("http://nas:81/"))
        #expect(reached(nil, from: elsewhere) == (isRefused ? nil : .public))
    }

    private static func fetch(_ host: String, isAllowed: Bool?) async throws {
        let fetcher = try PageFetcher(
            stream: stream(at: "http://\(host)/") { $0.allowsPrivateNetwork = isAllowed },
            transport: ScriptedTransport { _ in scripted("[]") }, timing: timing(clock: ManualClock()))
        _ = try await fetcher.page(at: fetcher.firstPosition)
    }
}
