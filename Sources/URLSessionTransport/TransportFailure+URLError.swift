import Fetcher
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportFailure {
    /// What a session's error means to us; `early` is what an end of the connection means at this point.
    ///
    /// The error itself quotes the URL with its secrets, so that only its code is passed on.
    static func of(_ error: any Error, insteadOf early: TransportFailure) -> any Error {
        guard let error = error as? URLError else { return TransportFailure.other(reason: "\(type(of: error))") }
        return switch error.code {
        case .cancelled: CancellationError()
        case .cannotFindHost, .dnsLookupFailed: TransportFailure.unknownHost
        case .cannotConnectToHost: TransportFailure.refused
        case .notConnectedToInternet: TransportFailure.unreachable(reason: "there is no network")
        // libcurl's "transferred a partial file" comes as `unknown`.
        case .networkConnectionLost, .badServerResponse, .unknown: early
        case .cannotDecodeContentData, .cannotDecodeRawData:
            TransportFailure.decompression(reason: "its data is broken")
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            TransportFailure.tls(reason: "URLError \(error.code.rawValue)")
        default: TransportFailure.other(reason: "URLError \(error.code.rawValue)")
        }
    }
}
