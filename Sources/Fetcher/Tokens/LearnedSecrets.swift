import Catalog
import Synchronization

/// Secrets that were seen only when the program ran, for the redaction of all that quotes a server.
final class LearnedSecrets: Sendable {
    /// The tokens of more than a day, where each lives for an hour; older ones are good for nothing.
    private static let maximumCount = 64

    private let secrets = Mutex<[Secret]>([])

    /// In the order in which they were seen last.
    var all: [Secret] { secrets.withLock(\.self) }

    func learn(_ secret: Secret) {
        guard !secret.reveal().isEmpty else { return }
        secrets.withLock { secrets in
            secrets.removeAll { $0 == secret }
            secrets.append(secret)
            if secrets.count > Self.maximumCount { secrets.removeFirst() }
        }
    }
}
