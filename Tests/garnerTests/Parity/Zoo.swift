import Foundation
import TestSupport
import Testing

/// An API whose lists stand in zoo.json, with all kinds of pages at once; a stream picks one by what it sends.
struct Zoo: Decodable, Sendable {
    struct Change: Decodable, Sendable {
        let changed: [Record]
        let deleted: [Int]?
    }

    struct Stream: Decodable, Sendable {
        let list: String
        /// The records that Airbyte's CDK emits in the first and in the second read, by their ids.
        let first, second: [Int]
        /// The earliest bound of each list in the second read.
        let from: [String: String]?
    }

    typealias Record = [String: Value]
    typealias Lists = [String: [Record]]

    let lists: Lists
    let then: [String: Change]
    let streams: [String: Stream]

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    static let recorded: Result<Zoo, any Error> = Result {
        try JSONDecoder().decode(Zoo.self, from: Data(contentsOf: folder.appending(path: "zoo.json")))
    }

    /// The lists as they are before the second read.
    var changedLists: Lists {
        var lists = lists
        for (name, change) in then {
            var records = (lists[name] ?? []).filter { record in
                !(change.deleted ?? []).contains { .integer($0) == record["id"] }
            }
            for record in change.changed {
                if let place = records.firstIndex(where: { $0["id"] == record["id"] }) {
                    records[place] = record
                } else {
                    records.append(record)
                }
            }
            lists[name] = records
        }
        return lists
    }

    private static let size = 5

    /// The list of a path such as `/v1/zoos/1/animals`, its filters and its page; 404 if there is no such zoo.
    static func answer(_ request: LoopbackRequest, from lists: Lists) -> LoopbackReply {
        let path = Self.path(of: request)
        let parameters = Self.parameters(of: request)
        var steps = path.split(separator: "/").dropFirst().map(String.init)
        let name = steps.popLast() ?? ""
        guard var records = lists[name.replacing("latest-", with: "")] else { return .status(404) }
        for place in stride(from: 0, to: steps.count - 1, by: 2) {
            let (outer, id) = (steps[place], steps[place + 1])
            guard lists[outer]?.contains(where: { $0["id"]?.text == id }) == true else { return .status(404) }
            records.removeAll { $0[String(outer.dropLast())]?.text != id }
        }
        if name.hasPrefix("latest-") {
            records.sort { ($0["updated_at"]?.text ?? "") > ($1["updated_at"]?.text ?? "") }
        }
        for (key, value) in parameters {
            if key.hasSuffix("_from") { records.removeAll { ($0[String(key.dropLast(5))]?.text ?? "") < value } }
            if key.hasSuffix("_to") { records.removeAll { ($0[String(key.dropLast(3))]?.text ?? "") > value } }
            if ["kind", "house"].contains(key) { records.removeAll { $0[key]?.text != value } }
        }
        var start = (parameters["offset"] ?? parameters["cursor"]).flatMap { Int($0) } ?? 0
        if let page = parameters["page"].flatMap({ Int($0) }) { start = max(0, page - 1) * size }
        if let last = parameters["after"] {
            start = (records.firstIndex { $0["id"]?.text == last } ?? records.count) + 1
        }
        let page = records.dropFirst(start).prefix(size).map { Value.object($0).json }.joined(separator: ",")
        guard start + size < records.count else {
            return .json(#"{"data":[\#(page)],"next":null,"links":{"next":null}}"#)
        }
        var next = parameters
        next["cursor"] = "\(start + size)"
        let query = next.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        let link = "http://\(request["host"] ?? "")\(path)?\(query)"
        return .json(
            #"{"data":[\#(page)],"next":"\#(start + size)","links":{"next":"\#(link)"}}"#,
            headers: [("Link", "<\(link)>; rel=\"next\"")])
    }

    /// The earliest bound of each list for which requests ask.
    static func bounds(of requests: some Sequence<LoopbackRequest>) -> [String: String] {
        var bounds: [String: String] = [:]
        for request in requests {
            let parameters = parameters(of: request)
            guard let from = parameters.first(where: { $0.key.hasSuffix("_from") })?.value else { continue }
            let list = path(of: request) + (parameters["kind"].map { "?kind=\($0)" } ?? "")
            bounds[list] = min(bounds[list] ?? from, from)
        }
        return bounds
    }

    private static func path(of request: LoopbackRequest) -> String { String(request.target.prefix { $0 != "?" }) }

    /// What the query and a body of JSON say.
    private static func parameters(of request: LoopbackRequest) -> [String: String] {
        var parameters: [String: String] = [:]
        for item in URLComponents(string: request.target)?.queryItems ?? [] { parameters[item.name] = item.value }
        let body = (try? JSONDecoder().decode(Record.self, from: Data(request.body.utf8))) ?? [:]
        return parameters.merging(body.mapValues(\.text)) { _, inner in inner }
    }
}

extension Zoo {
    /// A value of a record.
    enum Value: Decodable, Hashable, Sendable {
        case integer(Int)
        case number(Double)
        case string(String)
        case object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let integer = try? container.decode(Int.self) {
                self = .integer(integer)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let string = try? container.decode(String.self) {
                self = .string(string)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        var text: String {
            if case .string(let string) = self { string } else { json }
        }

        var json: String {
            switch self {
            case .integer(let integer): "\(integer)"
            case .number(let number): "\(number)"
            case .string(let string): "\"\(string)\""
            case .object(let members): "{\(members.map { "\"\($0)\":\($1.json)" }.joined(separator: ","))}"
            }
        }
    }

    /// The columns that a record becomes.
    static func columns(_ record: Record, under prefix: String = "") -> [String: String] {
        var columns: [String: String] = [:]
        for (name, value) in record {
            if case .object(let members) = value {
                columns.merge(Self.columns(members, under: "\(prefix)\(name)__")) { _, new in new }
            } else {
                columns[prefix + name] = value.text
            }
        }
        return columns
    }
}
