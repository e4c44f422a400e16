/// Finds the addresses of a host, and judges each, where a request may not reach private networks.
package struct HostLookup: Sendable {
    /// Empty where there are none; waits as long as that takes.
    private let addresses: @Sendable (_ host: String) -> [IPAddress]
    private let isPublic: @Sendable (IPAddress) -> Bool

    package init(
        isPublic: @escaping @Sendable (IPAddress) -> Bool = \.isPublic,
        addresses: @escaping @Sendable (_ host: String) -> [IPAddress]
    ) {
        self.addresses = addresses
        self.isPublic = isPublic
    }

    /// The system's: its `hosts` file, its DNS, and whatever else it is set up with.
    package static let system = HostLookup { IPAddress.all(of: $0) }

    /// Those that may be connected to, in the order in which they should be tried; never empty.
    ///
    /// Throws where there are none, and where none of them is public. It blocks its thread.
    func publicAddresses(of host: String) throws(TransportFailure) -> [IPAddress] {
        let all = addresses(host)
        guard let first = all.first else { throw .unknownHost }
        let allowed = all.filter(isPublic)
        guard !allowed.isEmpty else { throw .privateNetwork(address: first.description) }
        return allowed
    }
}
