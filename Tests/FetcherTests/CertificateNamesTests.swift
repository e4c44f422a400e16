import Testing

@testable import GarnerFetcher

struct CertificateNamesTests {
    /// The names of a certificate, a host, and whether the one is for the other.
    private static let hosts: [([String], String, Bool)] = [
        (["zoo.example"], "zoo.example", true), (["Zoo.Example."], "zoo.example", true),
        (["zoo.example"], "ZOO.example.", true), (["a.example", "zoo.example"], "zoo.example", true),
        (["zoo.example"], "www.zoo.example", false), (["www.zoo.example"], "zoo.example", false),
        (["*.zoo.example"], "www.zoo.example", true), (["*.zoo.example"], "zoo.example", false),
        (["*.zoo.example"], "a.b.zoo.example", false), (["w*.zoo.example"], "www.zoo.example", false),
        (["www.*.example"], "www.zoo.example", false), (["*"], "localhost", false), (["*."], "localhost", false),
        (["*"], "zoo.example", false), (["127.0.0.1"], "127.0.0.1", false), (["*.0.0.1"], "127.0.0.1", false),
        ([], "zoo.example", false),
    ]

    @Test(arguments: hosts)
    func `a certificate is for the hosts that its names say`(names: [String], host: String, isMeant: Bool) {
        #expect(CertificateNames(dnsNames: names).contain(host) == isMeant)
    }

    @Test(arguments: [("127.0.0.1", true), ("::1", true), ("127.0.0.2", false), ("localhost", false)])
    func `a certificate for addresses is for no name`(host: String, isMeant: Bool) {
        let addresses = ["127.0.0.1", "::1"].compactMap { IPAddress($0) }
        #expect(CertificateNames(dnsNames: [], addresses: addresses).contain(host) == isMeant)
    }
}
