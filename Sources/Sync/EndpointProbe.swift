package import Catalog
package import Fetcher
import JSON
import Model
import Persistence

/// What `garner init` finds out about a collection: from one page of it, and from a few requests more where that page does not
/// say how the next one is reached.
package struct EndpointProbe: Sendable {
    /// Of where the page really is, which a redirect may have told.
    package let address: StarterAddress
    package let findings: StarterFindings
    /// What a person should know of.
    package let doubts: [String]

    /// Fetches the first page, and with GET what is needed to make sure of the second.
    ///
    /// Throws `FetchError` and `CancellationError` where there is no first page.
    package init(
        of asked: StarterAddress, as stream: Catalog.Stream, transport: any Transport, timing: Timing
    ) async throws {
        let sample = try await PageSample.fetch(stream, transport: transport, timing: timing)
        address = asked.moved(to: sample.source)
        findings = try await Self.findings(
            in: sample, of: stream, asked: asked.query, transport: transport, timing: timing)
        let moved = address == asked ? [] : ["base_url: the API has redirected to \(address.baseURL)"]
        doubts = moved + findings.doubts
    }

    /// Looks at the first pages of a configured stream.
    ///
    /// Throws `FetchError` and `CancellationError` where there is no first page.
    package static func findings(
        of stream: Catalog.Stream, transport: any Transport, timing: Timing
    ) async throws -> StarterFindings {
        let sample = try await PageSample.fetch(stream, transport: transport, timing: timing)
        return try await findings(
            in: sample, of: stream, asked: StarterQuery(of: stream), transport: transport, timing: timing)
    }

    private static func findings(
        in sample: PageSample, of stream: Catalog.Stream, asked query: StarterQuery, transport: any Transport,
        timing: Timing
    ) async throws -> StarterFindings {
        let records = try sample.records
        let second = SecondPage(stream: stream, transport: transport, timing: timing)
        return StarterFindings(
            recordSelector: records.finding, primaryKey: key(of: stream, in: records),
            paginator: try await second.paging(behind: sample, records, asked: query),
            cursorFields: CursorInference.fields(of: records.selection))
    }

    private static func key(
        of stream: Catalog.Stream, in records: SampledRecords
    ) -> StarterFindings.Finding<String?> {
        let count = records.selection.count
        guard let key = KeyInference.key(of: stream, in: records.selection) else {
            let remark =
                count == 0 ? "there was no record to look at" : "no usual field differs in all \(count) records"
            return .init(
                nil, "\(remark); without a key all records would be stored again with every sync", isDoubtful: true)
        }
        if count == 1 { return .init(key, "a guess, since there was one record only", isDoubtful: true) }
        return .init(key, "it differs in all \(count) records that were looked at")
    }
}

/// Asks for a second page in the usual ways, until one of them brings other records.
package struct SecondPage: Sendable {
    let stream: Catalog.Stream
    let transport: any Transport
    let timing: Timing

    package init(stream: Catalog.Stream, transport: any Transport, timing: Timing) {
        (self.stream, self.transport, self.timing) = (stream, transport, timing)
    }

    /// How the pages behind the first one are reached; what the page itself says wins.
    package func paging(
        behind sample: PageSample, _ records: SampledRecords, asked query: StarterQuery
    ) async throws -> StarterFindings.Finding<Paginator.Kind> {
        let finding = sample.paging(of: records, asked: query)
        guard stream.request.method == .get else { return finding }
        let guesses = sample.guesses(of: records, asked: query)
        guard !guesses.isEmpty else { return finding }
        let first = Identities(of: records, stream)
        for guess in guesses {
            let answer: Answer
            do {
                answer = try await ask(with: guess.parameters)
            } catch let error as FetchError where !error.kind.isRejection {
                // The server cannot be asked now.
                return finding
            }
            guard case .records(let second) = answer, !second.isEmpty, second.isDisjoint(with: first) else { continue }
            // A list that is another one with each request proves nothing.
            guard case .records(let again) = try await ask(with: []), again == first else {
                return .init(finding.value, "the list changes from one request to the next", isDoubtful: true)
            }
            let parameters = guess.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            return .init(guess.paginator, "asked with \(parameters) the API gives other records")
        }
        let isOpen = sample.paging(of: records, asked: query).value != .auto
        guard !isOpen, !finding.tellsOfMore else { return finding }
        let names = guesses.compactMap(\.parameters.first?.name).joined(separator: ", ")
        let remark = "the API gives no other page for any of \(names)"
        // A page of such a length may be full, and another parameter may lead on.
        guard records.selection.count % 5 != 0 || records.selection.count == 0 else {
            return .init(.auto, "\(remark); if there is none, set paginator: { type: single_page }", isDoubtful: true)
        }
        return .init(.singlePage, remark)
    }

    /// The line of the configuration that makes a stream's end known, where its first page says nothing of another one, and
    /// why; nil where a page tells by itself, or there is nothing to make sure of.
    ///
    /// - Parameter page: the first one, as it was read.
    package static func advice(
        for stream: Catalog.Stream, behind page: Page, transport: any Transport, timing: Timing
    ) async throws -> String? {
        if page.verdict?.kind == .document, stream.deleteMissing != .ignore {
            return "the whole body is one record, of which nothing is ever deleted; write_disposition: replace keeps "
                + "what the last read has returned"
        }
        guard page.verdict?.kind == .silent, stream.paginator.kind == .auto, stream.request.method == .get,
            stream.request.placeholders.isEmpty
        else { return nil }
        let sample = try await PageSample.fetch(stream, transport: transport, timing: timing)
        let finding = try await SecondPage(stream: stream, transport: transport, timing: timing)
            .paging(behind: sample, sample.records, asked: StarterQuery(of: stream))
        if finding.value == .auto { return finding.isDoubtful ? finding.remark : nil }
        return "\(finding.remark); set paginator: \(finding.value.line)"
    }

    private enum Answer {
        case records(Identities)
        /// The server does not know the parameter, or there are no records.
        case none
    }

    private func ask(with parameters: [(name: String, value: String)]) async throws -> Answer {
        var asking = stream
        asking.retry.maxAttempts = 1
        asking.request.params.removeAll { parameter in parameters.contains { $0.name == parameter.name } }
        asking.request.params += parameters.map {
            .init(name: $0.name, value: .literal($0.value))
        }
        do {
            let sample = try await PageSample.fetch(asking, transport: transport, timing: timing)
            return .records(Identities(of: try sample.records, stream))
        } catch let error as FetchError where error.kind.isRejection {
            return .none
        }
    }
}

/// What tells the records of a page apart.
private struct Identities: Equatable {
    private let values: Set<String>

    init(of records: SampledRecords, _ stream: Catalog.Stream) {
        let key = KeyInference.key(of: stream, in: records.selection)
        var values: Set<String> = []
        records.selection.forEach { node in
            values.insert(key.flatMap { node[$0]?.text } ?? String(decoding: node.utf8, as: UTF8.self))
        }
        self.values = values
    }

    var isEmpty: Bool { values.isEmpty }

    func isDisjoint(with other: Identities) -> Bool { values.isDisjoint(with: other.values) }
}

extension FetchError.Kind {
    /// The server has answered, and does not want to be asked this way.
    fileprivate var isRejection: Bool {
        switch self {
        case .status(let status, _): [400, 404, 405, 410, 414, 416, 422].contains(status)
        case .refusal, .missingPath, .noArray, .scalar: true
        default: false
        }
    }
}

extension StarterFindings.Finding<Paginator.Kind> {
    /// The page says that there is more, although not how it is asked for.
    fileprivate var tellsOfMore: Bool { isDoubtful && remark.contains("there is more") }
}
