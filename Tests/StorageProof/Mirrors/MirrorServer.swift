import Foundation
import Synchronization
import TestSupport

/// A part of a mirrored source that is requested for itself.
struct MirrorSlice: Hashable, Sendable, CustomStringConvertible {
    /// The record of the parent; nil without a parent.
    var zoo: Int?
    /// The value of the partition; nil without one.
    var gate: String?

    var description: String {
        [zoo.map { "zoo \($0)" }, gate].compactMap(\.self).joined(separator: ", ")
    }
}

/// The source of a history of a mirror. It writes down which parts it is asked for, and what it answers.
final class MirrorServer: Sendable {
    /// A page as it was answered.
    struct Served: Sendable {
        var slice: MirrorSlice
        var since: String?
        /// The records; nil for a page that failed.
        var records: [MirrorRecord]?
        var isLast = false
        var number = 1
        var isConditional = false
        /// The records that were behind the page before and are before this one, so that neither has them.
        var slipped: Set<MirrorRecord> = []
    }

    struct State: Sendable {
        var world: MirrorWorld
        var source: MirrorSource
        var disturbance = MirrorDisturbance()
        var requests = 0
        var instant = ""
        /// The name of the process that reads. What one that was killed has sent may still arrive.
        var agent = HistoryReader.agent
        var log: [Served] = []
        /// The records behind the page of a part that was sent last.
        var rest: [MirrorSlice: Set<MirrorRecord>] = [:]
        var kill: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(_ history: MirrorHistory, at instant: String) {
        state = Mutex(
            State(world: history.world, source: MirrorSource(history.records, history.zoos, history.gates, at: instant))
        )
    }

    func change<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
        state.withLock(body)
    }

    var source: MirrorSource { state.withLock { $0.source } }
    var log: [Served] { state.withLock { $0.log } }

    func answer(_ request: LoopbackRequest) async -> LoopbackReply {
        let (reply, kill) = state.withLock { state -> (LoopbackReply, (wait: Int, body: @Sendable () -> Void)?) in
            guard request["User-Agent"] == state.agent else { return (LoopbackReply(.reset), nil) }
            state.requests += 1
            let number = state.requests
            for change in state.disturbance.changes[number] ?? [] {
                state.source.apply(change, at: state.instant)
            }
            let reply = self.reply(to: request, fault: state.disturbance.faults[number], &state)
            guard let kill = state.disturbance.kill, kill.request == number, let body = state.kill else {
                return (reply, nil)
            }
            return (reply, (kill.microseconds, body))
        }
        guard let kill else { return reply }
        if kill.wait == 0 {
            kill.body()
        } else {
            Task {
                try? await ContinuousClock().sleep(for: .microseconds(kill.wait))
                kill.body()
            }
        }
        return reply
    }

    private func reply(
        to request: LoopbackRequest, fault: MirrorDisturbance.Fault?, _ state: inout State
    ) -> LoopbackReply {
        let parts = URLComponents(string: request.target)
        let path = (parts?.path ?? "").split(separator: "/").map(String.init)
        if path.first == "files" {
            if let fault { return failure(fault) }
            let body = Array(Self.content(ofFile: path.last ?? "").utf8)
            return .tagged(body, "image/png", [], answering: request, sendsETags: state.world.sendsETags)
        }
        if path == [MirrorWorld.parentTable] || path == [MirrorWorld.gatesTable] {
            if let fault { return failure(fault) }
            let source = state.source
            let isParent = path == [MirrorWorld.parentTable]
            let list = Content.array(isParent ? source.zoos.map(\.sent) : source.gates.map(\.sent)).json
            return .tagged(
                Array(list.utf8), "application/json", [], answering: request, sendsETags: state.world.sendsETags)
        }
        let query = parts?.queryItems ?? []
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        let zoo = path.first == "zoos" && path.count == 3 ? Int(path[1]) : nil
        let (slice, since) = (MirrorSlice(zoo: zoo, gate: value("gate")), value("since"))
        let place = (value("page") ?? value("after")).map { $0.split(separator: ",").map(String.init) } ?? []
        let number = place.first.flatMap { Int($0) } ?? 1
        if let fault {
            // Where a 404 is declared harmless, it is an empty list.
            let isEmpty = fault == .gone && state.world.ignoresGone
            state.log.append(
                .init(slice: slice, since: since, records: isEmpty ? [] : nil, isLast: isEmpty, number: number))
            return failure(fault)
        }
        if let zoo, !state.source.zoos.contains(where: { $0.id == zoo }) {
            let isEmpty = state.world.ignoresGone
            state.log.append(
                .init(slice: slice, since: since, records: isEmpty ? [] : nil, isLast: isEmpty, number: number))
            return .status(404)
        }
        var records = state.source.records.filter {
            (zoo == nil || $0.zoo == zoo) && $0.comes(under: slice.gate) && $0.changedAt >= (since ?? "")
        }
        let world = state.world
        if world.stopsAtKnown { records.sort { ($0.changedAt, $0.id) > ($1.changedAt, $1.id) } }
        let size = world.paging == .single ? Int.max : world.pageSize
        var first = size == .max ? 0 : min((number - 1) * size, records.count)
        if place.count == 3, let id = Int(place[2]) {
            // A cursor names the record that it follows, so that removed ones move no others.
            first = records.firstIndex { ($0.changedAt, $0.id) < (place[1], id) } ?? records.count
        }
        let page = size == .max ? records : Array(records[first..<min(first + size, records.count)])
        let next = size != .max && first + size < records.count ? number + 1 : nil
        let slipped = number == 1 ? [] : state.rest[slice, default: []].intersection(records[..<first])
        state.rest[slice] = Set(records[(first + page.count)...])
        state.log.append(
            .init(
                slice: slice, since: since, records: page, isLast: next == nil, number: number,
                isConditional: request["If-None-Match"] != nil, slipped: slipped))
        let rest = query.filter { !["after", "page"].contains($0.name) }.map { "&\($0.name)=\($0.value ?? "")" }
            .joined()
        let link = next.map { "?page=\($0)\(rest)" }
        let headers =
            world.paging == .headerLink ? link.map { [("Link", "<\($0)>; rel=\"next\"")] } ?? [] : []
        let after = world.stopsAtKnown ? page.last.map { ",\($0.changedAt),\($0.id)" } ?? "" : ""
        let list = Content.array(page.map { $0.sent(in: world) }).json
        let body =
            switch world.paging {
            case .single, .headerLink: list
            case .auto, .jsonLink: "{\"data\":\(list),\"next\":\(link.map { "\"\($0)\"" } ?? "null")}"
            case .cursor: "{\"data\":\(list),\"after\":\(next.map { "\"\($0)\(after)\"" } ?? "null")}"
            }
        return .tagged(Array(body.utf8), "application/json", headers, answering: request, sendsETags: world.sendsETags)
    }

    static func content(ofFile name: String) -> String { "the content of file \(name)" }

    private func failure(_ fault: MirrorDisturbance.Fault) -> LoopbackReply {
        let json = ("Content-Type", "application/json")
        switch fault {
        case .refused: return .status(500)
        case .gone: return .status(404)
        case .reset: return LoopbackReply(.reset)
        case .halved:
            return .response(headers: [json], body: "{\"data\":[{\"id\":1,\"secret\":\"\(MirrorRecord.hush)1\",")
        case .page: return .response(headers: [("Content-Type", "text/html")], body: "<p>Back soon</p>")
        }
    }
}
