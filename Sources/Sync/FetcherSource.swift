import Fetcher
import Synchronization

/// The fetcher of a run, which gives way to another one where the server takes its secrets no more.
final class FetcherSource: Sendable {
    typealias Renewal = @Sendable () throws -> PageFetcher?

    private let fetcher: Mutex<(current: PageFetcher, generation: Int)>
    private let renewal: Renewal

    init(_ fetcher: PageFetcher, renewed renewal: @escaping Renewal) {
        self.fetcher = Mutex((fetcher, 0))
        self.renewal = renewal
    }

    var current: PageFetcher { fetcher.withLock(\.current) }

    /// Fetches with the current one, and once more with another one where the secrets were refused and are new by now.
    func fetching<Result: Sendable>(_ body: (PageFetcher) async throws -> Result) async throws -> Result {
        let (used, generation) = fetcher.withLock(\.self)
        do {
            return try await body(used)
        } catch let error as FetchError where error.isUnauthorized {
            guard let other = try renewed(after: generation) else { throw error }
            return try await body(other)
        }
    }

    /// The one that others have got meanwhile, or a new one.
    private func renewed(after generation: Int) throws -> PageFetcher? {
        try fetcher.withLock { fetcher in
            if fetcher.generation == generation, let other = try renewal() { fetcher = (other, generation + 1) }
            return fetcher.generation == generation ? nil : fetcher.current
        }
    }
}

extension FetchError {
    fileprivate var isUnauthorized: Bool { if case .unauthorized = kind { !isRateLimited } else { false } }
}
