import NIOCore

extension Channel {
    /// Closes the channel when `body` takes longer than it may, which ends what `body` waits for.
    ///
    /// - Parameter last: done before that, such as a last word.
    /// - Returns: what `body` returns; nil where it took too long.
    func closing<Result>(
        after limit: Duration, on clock: any Clock<Duration>, last: @escaping @Sendable () async -> Void = {},
        unless body: () async throws -> Result
    ) async throws -> Result? {
        try await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                guard (try? await clock.sleep(for: limit)) != nil else { return false }
                await last()
                try? await self.close()
                return true
            }
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            group.cancelAll()
            let isLate = await group.next() ?? false
            return isLate ? .success(nil) : result.map(Optional.some)
        }.get()
    }
}
