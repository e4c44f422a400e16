import GarnerCatalog
package import GarnerControl
import GarnerFetcher
import Logging
import GarnerModel
import GarnerPersistence
import GarnerReports
import GarnerScheduler
import GarnerSync

/// The running service's answers to requests of other processes.
package struct ControlHandler: Sendable {
    let streams: LiveConfiguration
    let writer: DatabaseWriter
    let manualRuns: ManualRuns
    let scheduler: SchedulerService
    /// nil if nothing is published.
    let publication: TablePublication?
    /// Has the service end, for another process that needs the database; nil for a file.
    let giveBack: (@Sendable () -> Void)?
    let now: @Sendable () -> Timestamp
    let logger: Logger

    package func handle(_ request: ControlRequest, _ reply: @Sendable (ControlReply) async -> Void) async {
        do {
            switch request {
            case .notices(let file): await reply(.notices(streams.notices + streams.notices(besides: file)))
            case .trigger(let request, let waits): try await trigger(request, waits: waits, reply)
            case .publish(let tables, let takesOver):
                guard let publication else { throw ControlError.notPublished }
                await reply(.accepted)
                await reply(.published(PublicationAnswer(try await publication.make(tables, takesOver: takesOver))))
            case .giveBack:
                guard let giveBack else { throw ControlError.notGivenBack }
                logger.info("Giving back", metadata: ["reason": "another process asks for it"])
                await reply(.done)
                giveBack()
            case .quarantine(let name, let record, let drops):
                // The records of a stream that is in the file no more can be dropped.
                let retried = try drops ? nil : stream(name)
                let chosen = record.map { [$0] }
                await reply(.accepted)
                if let retried {
                    let retry = QuarantineRetry(retried, among: streams.configuration.streams, in: writer)
                    if let failure = await retry.run(chosen).failure { throw ControlError(failure) }
                } else {
                    _ = try await writer.dropQuarantined(chosen, of: name.description)
                }
                await reply(.done)
            case .pause(let name):
                let stream = try stream(name)
                try await writer.pause(stream, at: now()) { scheduler.send(.paused(name)) }
                logger.info("Stream paused", metadata: ["stream": "\(name)"])
                await reply(.done)
            case .resume(let name):
                let stream = try stream(name)
                try await writer.resume(stream) { scheduler.send(.resumed(name)) }
                logger.info("Stream resumed", metadata: ["stream": "\(name)"])
                await reply(.done)
            }
        } catch let refusal as ControlError {
            await reply(.refused(refusal))
        } catch {
            await reply(.refused(ControlError(RunFailure(error))))
        }
    }

    private func trigger(
        _ request: RunRequest, waits: Bool, _ reply: @Sendable (ControlReply) async -> Void
    ) async throws {
        let stream = try stream(request.stream)
        let (isNew, answers) = manualRuns.ask(request)
        if isNew {
            do {
                if case .served(let run) = try await writer.note(request, of: stream) {
                    manualRuns.end([request.id], of: request.stream, .run(run))
                    return await reply(.ended(run: run))
                }
            } catch {
                manualRuns.end([request.id], of: request.stream, .failed(RunFailure(error)))
                throw error
            }
            scheduler.send(.wanted(request.stream, request: request.id))
            logger.info("Run asked for", metadata: ["stream": "\(request.stream)", "request": "\(request.id)"])
        }
        if !waits {
            // Requests that had not reached the timetable when it was told to stop get no run.
            await scheduler.pulse()
            guard !manualRuns.isClosed else { throw ControlError.stopping }
        }
        for await answer in answers {
            await reply(try ControlReply(answer))
            if !waits { return }
        }
    }

    private func stream(_ name: StreamName) throws -> StreamConfiguration {
        guard let stream = streams[name] else { throw ControlError(unknown: name) }
        return stream
    }
}

extension ControlReply {
    /// Throws `ControlError` if the request is not served.
    fileprivate init(_ answer: RequestAnswer) throws(ControlError) {
        switch answer {
        case .accepted: self = .accepted
        case .joined: self = .joined(run: nil)
        case .run(let run): self = .ended(run: run)
        case .failed(let failure): throw ControlError(failure)
        case .stopped: throw .stopping
        }
    }
}

extension ControlError {
    fileprivate static let notGivenBack = ControlError(
        .busy, kind: "not_given_back", message: "the running service needs the database for itself",
        hint: "stop the service first")

    fileprivate static let notPublished = ControlError(
        .misconfigured, kind: "not_published", message: "the running service publishes nothing",
        hint: "if 'publish' is new in its file, restart the service")

    init(_ failure: RunFailure) {
        self.init(failure.category, kind: failure.kind, message: failure.message, hint: failure.hint?.words)
    }
}
