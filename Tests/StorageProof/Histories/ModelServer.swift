import Foundation
import Synchronization
import TestSupport

/// A part of a source that is requested for itself.
struct SourcePart: Hashable, Sendable, CustomStringConvertible {
    /// The record of the parent; nil without a parent.
    var zoo: Int?
    /// The value of the partition; nil without one.
    var gate: String?

    var description: String {
        [zoo.map { "zoo \($0)" }, gate].compactMap(\.self).joined(separator: ", ")
    }
}

/// The source of a history: it answers with what the model has, disturbs a read as the history says, and writes down which
/// parts it is asked for, and what it answers.
final class ModelServer: Sendable {
    /// A page as it was answered.
    struct Served: Sendable {
        var part: SourcePart
        var since: String?
        /// The records; nil for a page that failed.
        var records: [ModelRecord]?
        var isLast = false
        var number = 1
        var isConditional = false
        /// The records that were behind the page before and are before this one, so that neither has them.
        var slipped: Set<ModelRecord> = []
    }

    struct State: Sendable {
        var world: World
        var collection: SourceRecords
        var disturbance = Disturbance()
        /// The number of requests of the read.
        var requests = 0
        /// The time of the source's clock during the read.
        var instant = ""
        /// The name of the process that reads. What one that was killed has sent may still arrive.
        var agent = HistoryReader.agent
        /// The pages of the read.
        var log: [Served] = []
        /// The records behind the page of a part that was sent last.
        var rest: [SourcePart: Set<ModelRecord>] = [:]
        /// Ends the process that reads.
        var kill: (@Sendable () -> Void)?

        func records(of part: SourcePart, since: String?) -> [ModelRecord] {
            let records = collection.records.filter {
                (part.zoo == nil || $0.zoo == part.zoo) && $0.comes(under: part.gate) && $0.changedAt >= (since ?? "")
            }
            return world.stopsAtKnown ? records.sorted { ($0.changedAt, $0.id) > ($1.changedAt, $1.id) } : records
        }
    }

    private let state: Mutex<State>

    init(_ history: History, at instant: String) {
        let collection = SourceRecords(
            history.records, zoos: history.zoos, gates: history.gates, isMirror: history.world.isMirror, at: instant)
        state = Mutex(State(world: history.world, collection: collection))
    }

    func change<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
        state.withLock(body)
    }

    var collection: SourceRecords { state.withLock { $0.collection } }
    var log: [Served] { state.withLock { $0.log } }

    /// The records that the read was to get, as pages, while nothing happens.
    var pages: [[ModelRecord]] {
        let state = state.withLock { $0 }
        let world = state.world
        let zoos: [Int?] = world.hasParent ? state.collection.zoos : [nil]
        return zoos.flatMap { zoo -> [[ModelRecord]] in
            let part = SourcePart(zoo: zoo)
            let records = state.records(of: part, since: state.log.first { $0.part == part }?.since)
            guard world.paging != .single else { return [records] }
            return stride(from: 0, to: records.count, by: world.pageSize).map { world.page(of: records, from: $0) }
        }
    }

    func answer(_ request: LoopbackRequest) -> LoopbackReply {
        state.withLock { state in
            guard request["User-Agent"] == state.agent else { return LoopbackReply(.reset) }
            // The read that makes a table asks for it once, before page 1 or not.
            guard !request.target.contains("page=0") else { return .status(404) }
            state.requests += 1
            let number = state.requests
            for change in state.disturbance.changes[number] ?? [] {
                state.collection.apply(change, at: state.instant)
            }
            if let kill = state.kill, let order = state.disturbance.kill, order.request == number {
                Self.wait(order.microseconds, kill)
            }
            return answer(request, state.disturbance.faults[number], &state)
        }
    }

    private static func wait(_ microseconds: Int, _ body: @escaping @Sendable () -> Void) {
        guard microseconds > 0 else { return body() }
        Task {
            try? await ContinuousClock().sleep(for: .microseconds(microseconds))
            body()
        }
    }
}

// MARK: - Answers

extension ModelServer {
    private func answer(
        _ request: LoopbackRequest, _ fault: Disturbance.Fault?, _ state: inout State
    ) -> LoopbackReply {
        let (world, collection) = (state.world, state.collection)
        let parts = URLComponents(string: request.target)
        let path = (parts?.path ?? "").split(separator: "/").map(String.init)
        func reply(_ body: [UInt8], _ type: String = "application/json", _ headers: [(String, String)] = [])
            -> LoopbackReply
        {
            if let fault { return failure(fault) }
            let tag = "\"\(body.hashValue)\""
            let headers = [("Content-Type", type)] + headers + (world.sendsETags ? [("ETag", tag)] : [])
            let isKnown = world.sendsETags && request["If-None-Match"] == tag
            return isKnown
                ? LoopbackReply(.bytes(LoopbackReply.head(status: 304, headers: headers)))
                : .response(headers: headers, body: body)
        }
        if path.first == "files" {
            return reply(Self.content(ofFile: path.last.flatMap { Int($0) } ?? 0, in: collection), "image/png")
        }
        if path.count == 1, let list = SourceList(rawValue: path[0]) {
            return reply(Array(Content.array((collection.lists[list] ?? []).map(\.sent)).json.utf8))
        }
        let query = parts?.queryItems ?? []
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        let zoo = path.count == 3 ? Int(path[1]) : nil
        let part = SourcePart(zoo: zoo, gate: value("gate"))
        let place = (value("page") ?? value("after")).map { $0.split(separator: ",").map(String.init) } ?? []
        let number = place.first.flatMap { Int($0) } ?? 1
        var served = Served(part: part, since: value("since"), number: number)
        let isGone = zoo.map { !collection.zoos.contains($0) } ?? false
        if let fault = fault ?? (isGone ? .gone : nil) {
            // Where a 404 is declared harmless, it is an empty list.
            if fault == .gone, world.ignoresGone { (served.records, served.isLast) = ([], true) }
            state.log.append(served)
            return failure(fault)
        }
        let records = state.records(of: part, since: served.since)
        let size = world.paging == .single ? Int.max : world.pageSize
        let isCounted = world.paging == .offset || world.paging == .offsetTotal
        var first = isCounted ? value("offset").flatMap { Int($0) } ?? 0 : size == .max ? 0 : (number - 1) * size
        first = min(first, records.count)
        if place.count == 3 {
            // A cursor names the record that it follows, so that removed ones move no others.
            let last = (place[1], RecordID(parts: [place[2]]))
            first = records.firstIndex { ($0.changedAt, $0.id) < last } ?? records.count
        }
        let page = world.page(of: records, from: first)
        let next = size != .max && first + size < records.count ? number + 1 : nil
        (served.records, served.isLast) = (page, next == nil)
        served.isConditional = request["If-None-Match"] != nil
        served.slipped = number == 1 ? [] : state.rest[part, default: []].intersection(records[..<first])
        state.rest[part] = Set(records[first...].dropFirst(page.count))
        state.log.append(served)
        let rest = query.filter { !["after", "page"].contains($0.name) }.map { "&\($0.name)=\($0.value ?? "")" }
            .joined()
        var headers: [(String, String)] = []
        if let next, world.paging == .headerLink { headers.append(("Link", "<?page=\(next)\(rest)>; rel=\"next\"")) }
        if let next, world.paging == .headerCursor { headers.append(("X-Next", "\(next)")) }
        let list = Content.array(page.map { $0.sent(in: world) }).json
        let last = world.stopsAtKnown ? page.last.map { ",\($0.changedAt),\($0.id)" } ?? "" : ""
        let envelope = world.envelope(
            next, rest, last, pages: size == .max ? 1 : (records.count + size - 1) / size, total: records.count)
        return reply(
            Array((envelope.map { "{\"data\":\(list),\($0)}" } ?? list).utf8), "application/json", headers)
    }

    /// Two files are alike.
    static func content(ofFile number: Int, in collection: SourceRecords) -> [UInt8] {
        Array("file \(number / 2), edition \(collection.editions[number, default: 0])".utf8)
    }

    private func failure(_ fault: Disturbance.Fault) -> LoopbackReply {
        let json = ("Content-Type", "application/json")
        switch fault {
        case .refused: return .status(500)
        case .gone: return .status(404)
        case .cut: return LoopbackReply.response(headers: [json, ("Content-Length", "999")], body: "[{").then(.close)
        case .reset: return LoopbackReply(.reset)
        case .halved:
            return .response(headers: [json], body: "{\"data\":[{\"id\":1,\"secret\":\"\(World.hush)1\",")
        case .page: return .response(headers: [("Content-Type", "text/html")], body: "<p>Back soon</p>")
        }
    }
}

extension World {
    /// True if the records of a page are inside an object.
    var isWrapped: Bool { envelope(nil, "", "", pages: 0, total: 0) != nil }

    /// The members beside the records of a page; nil if those stand alone.
    fileprivate func envelope(_ next: Int?, _ rest: String, _ last: String, pages: Int, total: Int) -> String? {
        switch paging {
        case .auto, .jsonLink: "\"next\":\(next.map { "\"?page=\($0)\(rest)\"" } ?? "null")"
        case .cursor: "\"after\":\(next.map { "\"\($0)\(last)\"" } ?? "null")"
        case .cursorHasMore: "\"after\":\"\(next ?? 1)\",\"more\":\(next != nil)"
        case .offsetTotal, .pageNumberTotal: "\"total\":\(total)"
        case .pageNumberTotalPages: "\"pages\":\(pages)"
        case .pageNumberHasMore: "\"more\":\(next != nil)"
        case .single, .headerLink, .headerCursor, .offset, .pageNumber: nil
        }
    }
}
