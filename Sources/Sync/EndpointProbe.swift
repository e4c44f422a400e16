package import Catalog
package import Fetcher
import JSON
import Model
import Persistence
import Synchronization

/// The findings of `garner init` about a collection, from its first page and, if that does not show how the
/// next page is reached, from a few more requests.
package struct EndpointProbe: Sendable {
    /// The page's actual address, after any redirect.
    package let address: StarterAddress
    package let findings: StarterFindings
    /// Remarks that a person should read.
    package let doubts: [String]

    /// Fetches the first page and, for GET, the requests needed to verify the second.
    ///
    /// Throws `FetchError` or `CancellationError` if there is no first page.
    package init(
        of asked: StarterAddress, as stream: Catalog.Stream, transport: any Transport, timing: Timing
    ) async throws {
        let (sample, accepting) = try await Self.sample(of: stream, transport: transport, timing: timing)
        address = asked.moved(to: sample.source)
        findings = try await Self.findings(
            in: sample, of: accepting, asked: asked.query, transport: transport, timing: timing)
        let moved = address == asked ? [] : ["base_url: the API has redirected to \(address.baseURL)"]
        doubts = moved + findings.doubts
    }

    /// Examines the first pages of a configured stream.
    ///
    /// Throws `FetchError` or `CancellationError` if there is no first page.
    package static func findings(
        of stream: Catalog.Stream, transport: any Transport, timing: Timing
    ) async throws -> StarterFindings {
        let (sample, accepting) = try await sample(of: stream, transport: transport, timing: timing)
        return try await findings(
            in: sample, of: accepting, asked: StarterQuery(of: stream), transport: transport, timing: timing)
    }

    /// Fetches the first page. If the response is JSON that is declared as something else, asks once more, for a stream
    /// that accepts it.
    private static func sample(
        of stream: Catalog.Stream, transport: any Transport, timing: Timing
    ) async throws -> (sample: PageSample, accepting: Catalog.Stream) {
        do {
            return (try await PageSample.fetch(stream, transport: transport, timing: timing), stream)
        } catch let error as FetchError {
            guard let type = error.kind.undeclaredJSON, stream.response.mediaTypes.isEmpty else { throw error }
            var accepting = stream
            accepting.response.mediaTypes = [type]
            return (try await PageSample.fetch(accepting, transport: transport, timing: timing), accepting)
        }
    }

    private static func findings(
        in sample: PageSample, of stream: Catalog.Stream, asked query: StarterQuery, transport: any Transport,
        timing: Timing
    ) async throws -> StarterFindings {
        let records = try sample.records
        let second = SecondPage(stream: stream, transport: transport, timing: timing)
        return StarterFindings(
            mediaTypes: stream.response.mediaTypes, recordSelector: records.finding,
            primaryKey: key(of: stream, in: records),
            paginator: try await second.paging(behind: sample, records, asked: query),
            cursorFields: CursorInference.fields(of: records.selection))
    }

    private static func key(
        of stream: Catalog.Stream, in records: SampledRecords
    ) -> StarterFindings.Finding<String?> {
        let count = records.selection.count
        guard let key = KeyInference.key(of: stream, in: records.selection) else {
            let remark =
                count == 0 ? "the page has no records" : "no usual field differs in all \(count) records"
            return .init(
                nil, "\(remark); without a key, records that come again make a later sync fail, or are stored again",
                isDoubtful: true)
        }
        if count == 1 { return .init(key, "a guess, since there was one record only", isDoubtful: true) }
        return .init(key, "it differs in all \(count) records that were looked at")
    }
}

/// A search for the second page: it tries the usual parameters until one of them returns other records.
package struct SecondPage: Sendable {
    let stream: Catalog.Stream
    let transport: any Transport
    let timing: Timing

    package init(stream: Catalog.Stream, transport: any Transport, timing: Timing) {
        (self.stream, self.transport, self.timing) = (stream, transport, timing)
    }

    /// Finds how the pages after the first one are reached. The page's own statement takes precedence.
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
                // The server cannot be reached now.
                return finding
            }
            guard case .records(let second) = answer, !second.isEmpty, second.isDisjoint(with: first) else { continue }
            // A list that differs with each request proves nothing.
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
        // A page of this length may be full, and another parameter may lead further.
        guard records.selection.count % 5 != 0 || records.selection.count == 0 else {
            return .init(.auto, "\(remark); if there is none, set paginator: { type: single_page }", isDoubtful: true)
        }
        return .init(.singlePage, remark)
    }

    /// Returns the configuration line that makes a stream's end known, and the reason, if the first page names
    /// no further page. Returns nil if the page tells by itself or nothing needs to be verified.
    ///
    /// - Parameter page: The first page as it was read.
    package static func advice(
        for stream: Catalog.Stream, behind page: Page, transport: any Transport, timing: Timing
    ) async throws -> String? {
        if page.verdict?.kind == .document, stream.deleteMissing != .ignore {
            return "the whole body is one record, so nothing is ever deleted; write_disposition: replace keeps only "
                + "the result of the last read"
        }
        if stream.keepsMissingRows(after: page.verdict) {
            return
                "a part is left out by choice (\(page.verdict?.reason ?? "as configured")), so missing rows are never deleted"
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

/// The identities that tell the records of a page apart.
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
    /// True if the server has answered and rejects this kind of request.
    fileprivate var isRejection: Bool {
        switch self {
        case .status(let status, _): [400, 404, 405, 410, 414, 416, 422].contains(status)
        case .refusal, .missingPath, .noArray, .scalar: true
        default: false
        }
    }
}

extension StarterFindings.Finding<Paginator.Kind> {
    /// True if the page says that there is more, but not how to request it.
    fileprivate var tellsOfMore: Bool { isDoubtful && remark.contains("there is more") }
}

/// The findings of a run's first page beyond the configuration.
final class FirstFindings: Sendable {
    private let found = Mutex<PageLayout?>(nil)

    func note(_ layout: PageLayout?) { found.withLock { $0 = $0 ?? layout } }

    /// Returns the findings as one line for people, such as `records at $.data, key id, pages by Link`, or nil
    /// if there are none.
    ///
    /// - Parameter key: The columns of an inferred key; nil if the configuration names the key.
    func text(key: [String]?) -> String? {
        guard let layout = found.withLock(\.self) else { return nil }
        let records = layout.isDocument ? "the whole body is one record" : layout.recordsPath.map { "records at \($0)" }
        // Garner's own columns are not fields of the records.
        let key = key.map { $0.filter { !$0.hasPrefix("_garner_") } }
            .map { $0.isEmpty ? "no key" : "key \($0.joined(separator: ", "))" }
        let pages = layout.nextPage.map { "pages by \($0)" }
        let parts = [records, key, pages].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
