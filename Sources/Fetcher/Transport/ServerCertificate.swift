import GarnerCatalog
import NIOCore
import NIOSSL

/// The checks of a server's certificate that the TLS library leaves out.
enum ServerCertificate {
    /// Checks the certificate of a channel whose TLS, if any, is established. Fails with `TransportError`.
    static func check(on channel: any Channel, for host: String?) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            guard let tls = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self) else { return }
            let names = tls.peerCertificate.map { CertificateNames($0) } ?? CertificateNames()
            guard !names.isEmpty else {
                throw TransportError.tls(
                    reason: "the certificate has no subjectAltName, and its common name does not count as the host's")
            }
            guard let host, names.contain(host) else {
                throw TransportError.tls(reason: FetchError.Kind.otherHost)
            }
            if let bits = try tls.peerCertificate?.extractPublicKey().rsaBits, bits < 2048 {
                throw TransportError.tls(
                    reason: "the certificate's RSA key has \(bits) bits, and can be broken; it needs 2048 or more")
            }
        }
    }
}

/// The hosts that a certificate names. Its common name is none of them: "The client MUST NOT use [...] CN-ID" (RFC 9525, 2).
///
/// The TLS library also accepts a certificate for the address alone. Who has the address need not have the host's name.
struct CertificateNames {
    private(set) var dnsNames: [String] = []
    private(set) var addresses: [IPAddress] = []
    private(set) var isEmpty = true

    init() {}

    init(dnsNames: [String], addresses: [IPAddress] = []) {
        (self.dnsNames, self.addresses, isEmpty) = (dnsNames, addresses, dnsNames.isEmpty && addresses.isEmpty)
    }

    init(_ certificate: NIOSSLCertificate) {
        let names = certificate._subjectAlternativeNames()
        isEmpty = names.isEmpty
        for name in names {
            if name.nameType == .dnsName { dnsNames.append(String(decoding: name.contents, as: UTF8.self)) }
            if name.nameType == .ipAddress { addresses.append(IPAddress(name.contents)) }
        }
    }

    /// Returns true if the certificate is for a host: one of its addresses, or one of its names (RFC 9525, 6.3).
    func contain(_ host: String) -> Bool {
        if let address = IPAddress(host) { return addresses.contains(address) }
        let labels = Self.labels(of: host)
        return dnsNames.contains { name in
            let own = Self.labels(of: name)
            // A wildcard is the whole first label, and stands for one label. `*` alone names no host.
            guard own.first == "*" else { return own == labels }
            return own.count > 1 && own.count == labels.count && own.dropFirst() == labels.dropFirst()
        }
    }

    /// Returns the labels of a name in lower case. A dot at its end says that it is a whole one.
    private static func labels(of name: String) -> [Substring] {
        let name = name.lowercased()
        return (name.hasSuffix(".") ? name.dropLast() : name[...]).split(
            separator: ".", omittingEmptySubsequences: false)
    }
}

extension NIOSSLPublicKey {
    /// The number of bits of an RSA key, to the byte; nil for a key of another kind.
    fileprivate var rsaBits: Int? {
        get throws {
            var key = DERReader(try toSPKIBytes())
            // RFC 5280, 4.1: SEQUENCE { SEQUENCE { OBJECT IDENTIFIER, … }, BIT STRING }; RFC 8017, A.1.1: in the string,
            // SEQUENCE { INTEGER, INTEGER } is an RSA key.
            guard var info = key.next(0x30), var algorithm = info.next(0x30),
                algorithm.next(0x06)?.rest.elementsEqual([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01])
                    == true,
                var string = info.next(0x03), string.rest.popFirst() == 0, var numbers = string.next(0x30),
                let modulus = numbers.next(0x02)
            else { return nil }
            return modulus.rest.drop { $0 == 0 }.count * 8
        }
    }
}

/// Reads values in DER one after the other.
private struct DERReader {
    var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    /// Returns the content of the next value; nil if it has another tag, or is cut off.
    mutating func next(_ tag: UInt8) -> DERReader? {
        guard rest.popFirst() == tag, var length = rest.popFirst().map(Int.init) else { return nil }
        if length >= 0x80 {
            let count = length & 0x7F
            guard (1...3).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return DERReader(rest.prefix(length))
    }
}
