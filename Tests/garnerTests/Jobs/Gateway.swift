import Foundation
import TestSupport

/// A gateway of sensors, whose lists have no `id`.
enum Gateway {
    static let jobs = [
        // All of the first page is of one sensor, so that the time alone looks like a key.
        Job(
            name: "readings by sensor", commands: [["init", "API/api/history"]],
            doubts: ["primary_key: together they differ"],
            lines: ["        primary_key: [sensor, ts]\n", "total_pages_path: $.pages"], table: "history",
            rows: (120, 136),
            requests: 6
        ) { page($0, of: rows(isChanged: $1)) },
        Job(
            name: "readings of several buses", commands: [["init", "API/api/buses"]],
            lines: ["        primary_key: [bus, sensor, ts]\n"], table: "buses", rows: (120, 136), requests: 6
        ) { page($0, of: rows(isChanged: $1, onBuses: ["can0", "can1"])) },
        // Nothing in these lists tells which record is which.
        Job(
            name: "the latest measures", commands: [["init", "API/api/live"]],
            doubts: ["write_disposition: all records changed"],
            lines: ["        write_disposition: replace\n", "total_pages_path: $.pages"], table: "live",
            rows: (127, 127), requests: 6
        ) { request, _ in page(request, of: live(request)) },
        Job(
            name: "the latest measures at once", commands: [["init", "API/api/live-all"]],
            lines: ["        write_disposition: replace\n", "        paginator: { type: single_page }\n"],
            table: "live_all",
            rows: (127, 127), requests: 1
        ) { request, _ in .json(live(request).array) },
    ]

    private static func live(_ request: LoopbackRequest) -> [String] {
        (0..<127).map { number in
            let value = request.number * 1000 + number
            return #"{"value":\#(value).5,"rssi":-\#(40 + value % 50),"age_ms":\#(value * 7 % 5000)}"#
        }
    }

    private static func rows(isChanged: Bool, onBuses buses: [String] = [""]) -> [String] {
        let times = 0..<(isChanged ? 34 : 30) / buses.count
        func row(_ sensor: String, _ time: Int) -> [String] {
            buses.map { bus in
                let value = "\(15 + time * 7 % 11).\(time % 10)"
                let name = bus.isEmpty ? "" : "\"bus\":\"\(bus)\","
                return
                    #"{\#(name)"ts":"\#(Self.time(time))","sensor":"\#(sensor)","value":\#(value),"unit":"C","quality":"\#(time % 3 == 0 ? "suspect" : "good")"}"#
            }
        }
        return ["a", "b", "c", "d"].flatMap { sensor in times.flatMap { row(sensor, $0) } }
    }

    private static func time(_ number: Int) -> String {
        Date(timeIntervalSince1970: 1_760_000_400 + Double(number) * 600).formatted(.iso8601)
    }

    private static func page(_ request: LoopbackRequest, of rows: [String]) -> LoopbackReply {
        let (page, size) = (request.number(of: "page") ?? 1, 25)
        let part = rows.dropFirst(max(0, page - 1) * size).prefix(size)
        let pages = (rows.count + size - 1) / size
        return .json(
            #"{"page":\#(page),"per_page":\#(size),"pages":\#(pages),"total":\#(rows.count),"readings":\#(part.array)}"#
        )
    }
}
