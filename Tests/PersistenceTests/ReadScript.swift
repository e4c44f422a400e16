import GarnerCatalog
import GarnerModel
import GarnerPersistence
import Testing

/// Reads of a stream, and what the owner does to the database meanwhile.
struct ReadScript: CustomTestStringConvertible, Sendable {
    /// A read, or what the owner does to the database.
    enum Step: Sendable {
        case read([[String]])
        /// A read that asks for everything anew.
        case anew([[String]])
        /// A read with another configuration of the stream.
        case deeper([[String]])
        case alter(String)
    }

    let testDescription: String
    let stream: StreamConfiguration
    let steps: [Step]

    init(
        _ name: String, missing: DeleteMissing = .ignore,
        changing change: (inout StreamConfiguration) -> Void = { _ in }, _ steps: [Step]
    ) {
        var stream = StreamConfiguration.animals(key: ["id"], missing: missing)
        stream.maxDeleteRatio = 1
        change(&stream)
        (testDescription, self.stream, self.steps) = (name, stream, steps)
    }

    /// The same reads of a table that each of them replaces.
    var replacing: ReadScript {
        ReadScript(
            "\(testDescription), in a table that is replaced",
            changing: {
                $0 = stream
                $0.deleteMissing = .ignore
                $0.writeDisposition = .replace
            }, steps)
    }

    /// Plays the script, and returns what the caller is told.
    ///
    /// - Parameter forgetsHashes: True if the hashes are removed before each step, so that each record is compared.
    func play(in fixture: Fixture, forgettingHashes forgetsHashes: Bool = false) async throws -> [String] {
        var told: [String] = []
        for step in steps {
            if forgetsHashes { try fixture.alter("DELETE FROM _garner_record_hashes") }
            switch step {
            case .alter(let sql): try fixture.alter(sql)
            case .deeper(let pages):
                var stream = stream
                stream.flattenDepth = 1
                told.append(try await fixture.read(pages, of: stream, identity: "page=1 deeper"))
            case .read(let pages): told.append(try await fixture.read(pages, of: stream))
            case .anew(let pages):
                told.append(try await fixture.read(pages, of: stream, restarting: true))
            }
        }
        return told
    }
}

extension Fixture {
    /// Stores pages as a read does, and returns what the caller is told.
    func read(
        _ pages: [[String]], of stream: StreamConfiguration, identity: String = "page=1",
        restarting: Bool = false
    ) async throws -> String {
        let run = try await writer.beginReading(stream, identity: identity, restarting: restarting)
        for (index, records) in pages.enumerated() {
            let text = "[\(records.joined(separator: ","))]"
            let page = try await page(text, index + 1, of: pages.count, in: run)
            if let ended = try await writer.commit(page, to: run.id).ended {
                return "\(ended.status) \(ended.counts) \(ended.notice ?? "")"
            }
        }
        return "not ended"
    }
}
