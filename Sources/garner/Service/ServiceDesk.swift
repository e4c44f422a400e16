import Catalog
import Control
import Fetcher
import Logging
import Persistence
import Scheduler
import Sync

/// Answers what other processes ask of the running service.
struct ServiceDesk: Sendable {
    let streams: LiveConfiguration
    let store: Store
    let manualRuns: ManualRuns
    let scheduler: SchedulerService
    let now: @Sendable () -> Timestamp
    let logger: Logger

    func handle(_ request: ControlRequest, _ reply: @Sendable (ControlReply) async -> Void) async {
        do {
            switch request {
            case .trigger(let wish): try await trigger(wish, reply)
            case .pause(let name):
                let stream = try stream(name)
                try await store.pause(stream, at: now()) { scheduler.send(.paused(name)) }
                logger.info("Stream paused", metadata: ["stream": "\(name)"])
                await reply(.done)
            case .resume(let name):
                let stream = try stream(name)
                try await store.resume(stream) { scheduler.send(.resumed(name)) }
                logger.info("Stream resumed", metadata: ["stream": "\(name)"])
                await reply(.done)
            }
        } catch let refusal as ControlRefusal {
            await reply(.refused(refusal))
        } catch {
            await reply(.refused(ControlRefusal(RunFailure(error))))
        }
    }

    private func trigger(_ wish: RunWish, _ reply: @Sendable (ControlReply) async -> Void) async throws {
        let stream = try stream(wish.stream)
        let request = RunRequest(wish.requestID, restarts: wish.restarts, maximumPages: wish.maximumPages)
        guard let ticket = manualRuns.want(request, of: wish.stream) else { throw ControlRefusal.stopping }
        if ticket.isNew {
            do {
                if case .served(let run) = try await store.note(request, of: stream) {
                    manualRuns.end([request.id], of: wish.stream, .run(run))
                    return await reply(.ended(run: run))
                }
            } catch {
                manualRuns.end([request.id], of: wish.stream, .failed(RunFailure(error)))
                throw error
            }
            scheduler.send(.wanted(wish.stream, request: request.id))
            logger.info("Run asked for", metadata: ["stream": "\(wish.stream)", "request": "\(request.id)"])
        }
        if !wish.waits {
            // What was still on its way to the timetable when that was told to stop is not run.
            await scheduler.pulse()
            guard !manualRuns.isClosed else { throw ControlRefusal.stopping }
        }
        await reply(ticket.isAlone ? .accepted : .joined(run: nil))
        guard wish.waits else { return }
        for await end in ticket.end {
            switch end {
            case .run(let run): await reply(.ended(run: run))
            case .failed(let failure): throw ControlRefusal(failure)
            case .stopped: throw ControlRefusal.stopping
            }
        }
    }

    private func stream(_ name: StreamName) throws -> Catalog.Stream {
        guard let stream = streams[name] else { throw ControlRefusal(unknown: name) }
        return stream
    }
}

extension ControlRefusal {
    fileprivate init(_ failure: RunFailure) {
        self.init(code: failure.code, kind: failure.kind, message: failure.message, hint: failure.hint)
    }
}
