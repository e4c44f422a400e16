import GarnerControl
import GarnerFetcher
import GarnerLibC
import GarnerModel
package import GarnerPersistence
package import GarnerShards
import GarnerTasks
import Synchronization

/// The copy of a database that PostgreSQL keeps, and the right to write it.
package struct ShardCopy: Sendable {
    package let keeper: ShardKeeper
    /// The file of the copy.
    package let path: String
    private let folder: CopyFolder

    /// Copies the database to this machine.
    package init(_ keeper: ShardKeeper, _ environment: [String: String]) async throws {
        self.keeper = keeper
        folder = try CopyFolder(environment)
        path = folder.path + "/garner.db"
        do {
            if !keeper.isEmpty { try await keeper.copy(into: path) }
        } catch {
            folder.removeFiles()
            throw error
        }
    }

    /// Removes the copy.
    package func remove() { folder.removeFiles() }
}

extension RuntimeContext {
    /// Claims a database that PostgreSQL keeps, and copies it for `body`. What `body` commits is stored there before this returns.
    ///
    /// If another worker takes the right to write, the task is cancelled for `body`, and the error says so.
    ///
    /// - Parameters:
    ///   - sources: The sources that were in the shard, or had no place. They may have been moved before the claim, which is an error.
    ///   - wait: The time to wait for another worker.
    ///   - asksHolder: True if a service that has the right to write is asked to give it back for a while.
    package func withCopy<Result>(
        of shard: ShardPlace, with sources: [String] = [], waiting wait: Duration = .zero,
        askingHolder asksHolder: Bool = false, telling tell: (StoreNews) -> Void = { _ in },
        _ body: (ShardCopy) async throws -> Result
    ) async throws -> Result {
        let keeper = try await claim(shard, waiting: wait, askingHolder: asksHolder, telling: tell)
        let result: Swift.Result<Result, any Error>
        do {
            if !sources.isEmpty { try await shard.layout().requirePlaces(of: sources, in: shard.shard) }
            let copy = try await ShardCopy(keeper, environment)
            defer { copy.remove() }
            // In a wrong database, a new one would look like the loss of all rows.
            if keeper.isEmpty { tell(.created(path: "\(shard)")) }
            let (found, loss) = await Self.whileHeld(keeper) { () -> Result in
                do {
                    let result = try await body(copy)
                    try await keeper.safe()
                    return result
                } catch let error as PersistenceError {
                    throw error.naming("\(shard)", for: copy.path)
                }
            }
            result = loss.map { .failure($0) } ?? found
        } catch {
            result = .failure(error)
        }
        do { try await keeper.release() } catch { if case .success = result { throw error } }
        return try result.get()
    }

    private func claim(
        _ shard: ShardPlace, waiting wait: Duration, askingHolder asksHolder: Bool, telling tell: (StoreNews) -> Void
    ) async throws -> ShardKeeper {
        let worker = ShardWorker(shard, as: WorkerIdentity(of: nil, userAgent: userAgent))
        let isServed = HolderLook()
        let result = await withTaskGroup(of: Void.self) { group in
            if asksHolder { group.addTask { await ask(shard, while: isServed) } }
            let result: Swift.Result<ShardKeeper, any Error>
            do {
                result = .success(
                    try await claim(
                        shard, with: worker, waiting: asksHolder ? nil : wait, telling: tell, noting: isServed))
            } catch {
                result = .failure(error)
            }
            // A request that nobody has answered goes, or the next holder would take it for its own.
            group.cancelAll()
            return result
        }
        if case .failure = result { await worker.leave() }
        await worker.disconnect()
        return try result.get()
    }

    /// Asks a service to give a shard back, again and again: it may be faster to claim it than this process.
    private func ask(_ shard: ShardPlace, while isServed: HolderLook) async {
        let client = ControlClient(ShardRequests(shard, clock: timing.clock), clock: timing.clock)
        while !Task.isCancelled {
            if isServed.last { try? await client.giveBack() }
            try? await timing.clock.sleep(for: .milliseconds(isServed.last ? 500 : 20))
        }
    }

    /// - Parameter wait: The time to wait for another worker; nil for a service that is asked, which has the time of a lease, and at least half a
    ///   minute.
    private func claim(
        _ shard: ShardPlace, with worker: ShardWorker, waiting wait: Duration?, telling tell: (StoreNews) -> Void,
        noting isServed: HolderLook
    ) async throws -> ShardKeeper {
        let stopwatch = Stopwatch(timing.clock)
        var (isAsked, hasTold) = (false, false)
        while true {
            switch try await worker.claim(forgetsWorker: true) {
            case .claimed(let keeper): return keeper
            case .held(let holder):
                let error = PersistenceError(held: shard, by: holder)
                isAsked = isAsked || holder.isService
                let limit = wait ?? (isAsked ? max(shard.lease, .seconds(30)) : .zero)
                guard stopwatch.elapsed < limit else { throw error }
                isServed.set(holder.isService)
                if wait != nil, !hasTold { tell(.waiting(error)) }
                hasTold = true
                // A service that gives a shard back may claim it again a moment later. A command has it until it ends.
                let pause = Duration.milliseconds(wait == nil || holder.isService ? 20 : 1000)
                try await stopwatch.sleep(until: min(stopwatch.elapsed + pause, limit))
            }
        }
    }

    /// Runs `body`, and cancels the task for it when nothing more can be stored. Returns why, too; nil if everything can.
    package static func whileHeld<Result>(
        _ keeper: ShardKeeper, _ body: () async throws -> Result
    ) async -> (result: Swift.Result<Result, any Error>, loss: PersistenceError?) {
        let loss = Mutex<PersistenceError?>(nil)
        let current = RunningTask()
        let watching = Task {
            let error = await keeper.untilLost()
            guard !Task.isCancelled else { return }
            loss.withLock { $0 = error }
            current.cancel()
        }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        watching.cancel()
        await watching.value
        return (result, loss.withLock(\.self))
    }

    /// Copies the database that PostgreSQL keeps for a dry run, which needs no right to write. Makes no file for one without pages.
    package func withThrowawayCopy<Result>(
        of shard: ShardPlace, _ body: (_ path: String) async throws -> Result
    ) async throws -> Result {
        try await withCopyFolder { folder in
            let path = folder + "/garner.db"
            try await shard.copyPages(into: path)
            return try await body(path)
        }
    }

    /// Makes a private folder for `body`, and removes it.
    package func withCopyFolder<Result>(_ body: (_ folder: String) async throws -> Result) async throws -> Result {
        let folder = try CopyFolder(environment)
        defer { folder.removeFiles() }
        return try await body(folder.path)
    }
}

/// Runs what blocks on a thread of its own. A cancellation does not wait for it.
package func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    let waiters = Waiters<R>()
    let id = waiters.add()
    DetachedThread.start { waiters.resume(id, with: Result(catching: body)) }
    return try await waiters.value(for: id) { waiters.resume($0, with: .failure(CancellationError())) }
}

/// What was last seen of whether a service has a shard.
private final class HolderLook: Sendable {
    private let isServed = Mutex(false)

    var last: Bool { isServed.withLock(\.self) }

    func set(_ seen: Bool) { isServed.withLock { $0 = seen } }
}

/// This is the task that has made it. Others may cancel it as long as it goes on.
///
/// `nonisolated(unsafe)` is safe because `whileHeld` waits for the only one that cancels, so the task still runs then, and because any
/// thread may call `cancel`.
private struct RunningTask: Sendable {
    private nonisolated(unsafe) let task = withUnsafeCurrentTask { $0 }

    func cancel() { task?.cancel() }
}

extension PersistenceError {
    /// Returns the error with a name in the place of a path that nobody knows.
    fileprivate func naming(_ name: String, for path: String) -> PersistenceError {
        PersistenceError(kind, message.replacing(path, with: name), hint: hint)
    }
}
