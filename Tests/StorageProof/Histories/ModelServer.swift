import Foundation
import Synchronization
import TestSupport

/// The source of a history: it answers with what the model has, and disturbs a read as the history says.
final class ModelServer: Sendable {
    struct State: Sendable {
        var world: World
        var collection: SourceRecords
        var disturbance = Disturbance()
        /// The number of requests of the read.
        var requests = 0
        /// The time of the source's clock during the read.
        var instant = ""
        /// The value of `since` with which the read of each parent record's records began.
        var beginnings: [Int: String?] = [:]
        /// Ends the process that reads.
        var kill: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(_ history: History, at instant: String) {
        state = Mutex(State(world: history.world, collection: SourceRecords(history.records, at: instant)))
    }

    func change<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
        state.withLock(body)
    }

    var collection: SourceRecords { state.withLock { $0.collection } }

    /// The records that the read was to get, as pages, while nothing happens.
    var pages: [[ModelRecord]] {
        let state = state.withLock { $0 }
        return (1...max(state.world.zoos, 1)).flatMap { zoo in
            pages(of: Self.selected(state, zoo, since: state.beginnings[zoo] ?? nil), state.world)
        }
    }

    private func pages(of records: [ModelRecord], _ world: World) -> [[ModelRecord]] {
        guard world.paging != .single else { return [records] }
        return stride(from: 0, to: records.count, by: world.pageSize).map { world.page(of: records, from: $0) }
    }

    func answer(_ request: LoopbackRequest) async -> LoopbackReply {
        let (reply, kill) = state.withLock { state -> (LoopbackReply, (wait: Int, body: @Sendable () -> Void)?) in
            state.requests += 1
            let number = state.requests
            for change in state.disturbance.changes[number] ?? [] {
                state.collection.apply(change, at: state.instant)
            }
            let reply = disturbed(answer(request, &state), state.disturbance.faults[number])
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

    private static func selected(_ state: State, _ zoo: Int, since beginning: String?) -> [ModelRecord] {
        state.collection.records.filter {
            $0.zoo(in: state.world) == zoo && ($0.changedAt ?? "") >= (beginning ?? "")
        }
    }
}

// MARK: - Answers

extension ModelServer {
    private func answer(_ request: LoopbackRequest, _ state: inout State) -> LoopbackReply {
        let world = state.world
        let parts = URLComponents(string: request.target)
        let path = parts?.path ?? ""
        if path.hasPrefix("/files/") { return file(Int(path.dropFirst(7)) ?? 0, request, state) }
        let query = parts?.queryItems ?? []
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        if path == "/zoos" {
            let zoos = (1...max(world.zoos, 1)).map { "{\"id\":\($0)}" }.joined(separator: ",")
            return .tagged(
                Array("[\(zoos)]".utf8), "application/json", [], answering: request, sendsETags: world.sendsETags)
        }
        let zoo = world.zoos > 0 ? path.split(separator: "/").dropFirst().first.flatMap { Int($0) } ?? 1 : 1
        let since = value("since")
        if state.beginnings[zoo] == nil { state.beginnings[zoo] = .some(since) }
        let records = Self.selected(state, zoo, since: since)
        let size = world.paging == .single ? Int.max : world.pageSize
        let isCounted = world.paging == .offset || world.paging == .offsetTotal
        let number = (value("page") ?? value("after")).flatMap { Int($0) } ?? 1
        let first = isCounted ? value("offset").flatMap { Int($0) } ?? 0 : size == .max ? 0 : (number - 1) * size
        let page = world.page(of: records, from: first)
        let next = size != .max && first + size < records.count ? number + 1 : nil
        let rest = query.filter { !["after", "page"].contains($0.name) }.map { "&\($0.name)=\($0.value ?? "")" }
            .joined()
        var headers: [(String, String)] = []
        if let next, world.paging == .headerLink { headers.append(("Link", "<?page=\(next)\(rest)>; rel=\"next\"")) }
        if let next, world.paging == .headerCursor { headers.append(("X-Next", "\(next)")) }
        let list = "[\(page.map { $0.sent(in: world).json }.joined(separator: ","))]"
        let envelope = world.envelope(
            next, rest, pages: size == .max ? 1 : (records.count + size - 1) / size, total: records.count)
        return .tagged(
            Array((world.isWrapped ? "{\"data\":\(list),\(envelope)}" : list).utf8), "application/json", headers,
            answering: request, sendsETags: world.sendsETags)
    }

    private func file(_ number: Int, _ request: LoopbackRequest, _ state: State) -> LoopbackReply {
        .tagged(
            Self.content(ofFile: number, in: state.collection), "image/png", [], answering: request,
            sendsETags: state.world.sendsETags)
    }

    /// Two files are alike.
    static func content(ofFile number: Int, in collection: SourceRecords) -> [UInt8] {
        Array("file \(number / 2), edition \(collection.editions[number, default: 0])".utf8)
    }

    private func disturbed(_ reply: LoopbackReply, _ fault: Disturbance.Fault?) -> LoopbackReply {
        guard let fault else { return reply }
        let json = ("Content-Type", "application/json")
        switch fault {
        case .refused: return .status(500)
        case .cut: return LoopbackReply.response(headers: [json, ("Content-Length", "999")], body: "[{").then(.close)
        case .reset: return LoopbackReply(.reset)
        case .halved: return .response(headers: [json], body: "{\"data\":[{\"id\":1,")
        case .page: return .response(headers: [("Content-Type", "text/html")], body: "<p>Back soon</p>")
        }
    }
}

extension World {
    /// The members beside the records of a page.
    fileprivate func envelope(_ next: Int?, _ rest: String, pages: Int, total: Int) -> String {
        switch paging {
        case .auto, .jsonLink: "\"next\":\(next.map { "\"?page=\($0)\(rest)\"" } ?? "null")"
        case .cursor: "\"after\":\(next.map { "\"\($0)\"" } ?? "null")"
        case .cursorHasMore: "\"after\":\"\(next ?? 1)\",\"more\":\(next != nil)"
        case .offsetTotal, .pageNumberTotal: "\"total\":\(total)"
        case .pageNumberTotalPages: "\"pages\":\(pages)"
        case .pageNumberHasMore: "\"more\":\(next != nil)"
        case .single, .headerLink, .headerCursor, .offset, .pageNumber: ""
        }
    }
}
