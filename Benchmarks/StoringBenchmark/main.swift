// How far is our storing from raw C calls on the same rows?
//
//     swift run -c release StoringBenchmark [PAGES] [RECORDS A PAGE] [ROUNDS]
//
// Prints, for a first load and for a second one that changes nothing, the medians of our own time, of raw C's, and of
// the ratio within each round; and the time to parse, which a sync does on another core.

import GarnerCatalog
import Foundation
import GarnerJSON
import GarnerModel
import GarnerPersistence
import RawUpsert

let arguments = CommandLine.arguments.dropFirst().compactMap(Int.init)
let pageCount = arguments.first ?? 200
let perPage = arguments.dropFirst().first ?? 1000
let rounds = arguments.dropFirst(2).first ?? 5
let names = [
    "name", "latin_name", "animal_type", "active_time", "length_min", "length_max", "weight_min", "weight_max",
    "lifespan",
    "habitat", "diet", "geo_range", "image_link", "id", "updated_at",
]

func record(_ id: Int) -> String {
    """
    {"name":"Long-tailed Tapir \(id)","latin_name":"Genus\(id % 900) species\(id % 9000)","animal_type":"Mammal",\
    "active_time":"Nocturnal","length_min":"1.\(id % 90)","length_max":"4.25","weight_min":"12.50","weight_max":"310.00",\
    "lifespan":"\(id % 90)","habitat":"Temperate woodland and scrub","diet":"Insects, leaves, \\"small\\" vertebrates",\
    "geo_range":"Central and South America","image_link":"https://images.example.org/\(id)/Animal_\(id).jpg",\
    "id":\(id),"updated_at":"2026-03-0\(id % 9 + 1)T10:00:00Z"}
    """
}

func page(_ number: Int) -> String {
    let first = number * perPage + 1
    return #"{"data":["# + (first..<first + perPage).map(record).joined(separator: ",") + "]}"
}

let texts = (0..<pageCount).map(page)
let selector = try Selector(parsing: "$.data[*]")
let clock = ContinuousClock()
func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func parse() throws -> [Selection] {
    try texts.map { selector.select(in: try Document(parsing: Bytes($0.utf8))) }
}

func storeOurs(_ pages: [Selection], in path: String) async throws {
    let writer = try DatabaseWriter(path: path) { Timestamp(millisecondsSince1970: 0) }
    let run = try await writer.begin(.benchmark, identity: "0", restarting: true)
    _ = try await writer.openRead(of: run)
    guard let slice = try await writer.slices(of: run, limit: 1).first else { return }
    for (index, records) in pages.enumerated() {
        let isLast = index == pages.count - 1
        let page = PageCommit(
            content: .records(records), position: "\(index)", slice: slice.id,
            continuation: isLast ? .complete : .next("\(index + 1)"), url: "", requests: [])
        _ = try await writer.commit(page, to: run)
    }
    await writer.close()
}

func storeRaw(_ pages: [Selection], in path: String) {
    var cells: [UnsafePointer<CChar>?] = []
    var lengths: [UInt32] = []
    var keys: [Int64] = []
    for page in pages {
        page.forEach { record in
            for (_, value) in record.members {
                if value.kind == .integer { keys.append(value.integer) }
                cells.append(UnsafeRawPointer(value.utf8.baseAddress)?.assumingMemoryBound(to: CChar.self))
                lengths.append(UInt32(value.utf8.count))
            }
        }
    }
    var columnNames = names.map { UnsafePointer(strdup($0)) }
    rawSeconds = seconds(
        clock.measure {
            cells.withUnsafeBufferPointer { cells in
                lengths.withUnsafeBufferPointer { lengths in
                    keys.withUnsafeBufferPointer { keys in
                        var rows = raw_rows(
                            texts: cells.baseAddress, lengths: lengths.baseAddress, keys: keys.baseAddress,
                            rows: keys.count, columns: Int32(names.count), key: 13)
                        let code = raw_upsert(path, &columnNames, &rows, perPage)
                        precondition(code == 0, "raw C calls failed with \(code)")
                    }
                }
            }
        })
}

nonisolated(unsafe) var rawSeconds = 0.0
var ours: [String: [Double]] = [:]
var raw: [String: [Double]] = [:]
var parsing: [Double] = []
for _ in 0..<rounds {
    let folder = FileManager.default.temporaryDirectory.appending(path: "garner-benchmark-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var pages: [Selection] = []
    parsing.append(seconds(try clock.measure { pages = try parse() }))
    for work in ["first", "again"] {
        let time = try await clock.measure { try await storeOurs(pages, in: folder.appending(path: "ours.db").path) }
        ours[work, default: []].append(seconds(time))
        storeRaw(pages, in: folder.appending(path: "raw.db").path)
        raw[work, default: []].append(rawSeconds)
    }
}
print("\(pageCount) pages of \(perPage) records, \(rounds) rounds; parse \(median(parsing)) s")
for work in ["first", "again"] {
    let pairs = zip(ours[work] ?? [], raw[work] ?? []).map { $0 / $1 }
    print("\(work): ours \(median(ours[work] ?? [])) s, raw C \(median(raw[work] ?? [])) s, ratio \(median(pairs))")
}

extension StreamConfiguration {
    static let benchmark = StreamConfiguration(
        name: StreamName(source: "zoo", stream: "animals"), table: "animals", place: ConfigurationPlace(file: "-"),
        request: RequestTemplate(baseURL: "http://127.0.0.1/", path: ""), paginator: Paginator(.singlePage),
        primaryKey: ["id"], maxDeleteRatio: 0.5, allowsPrivateNetwork: true)
}
