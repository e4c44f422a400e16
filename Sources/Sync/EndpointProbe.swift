package import GarnerCatalog
package import GarnerFetcher
import GarnerJSON
import GarnerPersistence

/// The findings of `garner init` about a collection, from its first page and, if that does not show how the
/// next page is reached, from a few more requests.
package struct EndpointProbe: Sendable {
    /// The most requests that one look at a collection makes.
    private static let mostRequests = 6

    /// The page's actual address, after any redirect.
    package let address: StarterAddress
    package let findings: StarterFindings
    /// Remarks that a person should read.
    package let doubts: [String]

    /// Fetches the first page and, for GET, the requests needed to verify the second.
    ///
    /// Throws `FetchError` or `CancellationError` if there is no first page.
    package init(of asked: StarterAddress, as stream: StreamConfiguration, over access: SourceAccess) async throws {
        let first = try await Self.firstPage(of: stream, over: access)
        let source = asked.moved(to: first.sample.source)
        findings = try await Self.findings(in: first, asked: asked.query, over: access)
        address = source.named(after: findings)
        let moved = source == asked ? [] : ["base_url: the API has redirected to \(address.baseURL)"]
        doubts = moved + findings.doubts
    }

    /// Examines the first pages of a configured stream.
    ///
    /// Throws `FetchError` or `CancellationError` if there is no first page.
    package static func findings(
        of stream: StreamConfiguration, over access: SourceAccess
    ) async throws -> StarterFindings {
        try await findings(
            in: try await firstPage(of: stream, over: access), asked: StarterQuery(of: stream), over: access)
    }

    private struct FirstPage {
        let sample: PageSample
        /// The stream, which accepts the media type that came.
        let stream: StreamConfiguration
        var requests = 1
    }

    /// Fetches the first page. For JSON that is declared as something else, asks once more by a stream that accepts it.
    private static func firstPage(of stream: StreamConfiguration, over access: SourceAccess) async throws -> FirstPage {
        do {
            return FirstPage(sample: try await PageSample.fetch(stream, over: access), stream: stream)
        } catch let error as FetchError {
            guard let type = error.kind.undeclaredJSON, stream.response.mediaTypes.isEmpty else { throw error }
            var accepting = stream
            accepting.response.mediaTypes = [type]
            return FirstPage(
                sample: try await PageSample.fetch(accepting, over: access), stream: accepting, requests: 2)
        }
    }

    private static func findings(
        in first: FirstPage, asked query: StarterQuery, over access: SourceAccess
    ) async throws -> StarterFindings {
        let records = try first.sample.records
        if first.sample.looksLikeEmptyList(records) {
            let remark = "the page is one object that looks like a list without records; look again once it has some"
            return StarterFindings(
                mediaTypes: first.stream.response.mediaTypes, recordSelector: .init(nil, remark, isDoubtful: true),
                primaryKey: .init(nil, remark, isDoubtful: true),
                paginator: .init(Paginator(), remark, isDoubtful: true))
        }
        var left = mostRequests - first.requests
        let second = SecondPage(stream: first.stream, access: access)
        var paginator = try await second.paging(behind: first.sample, records, asked: query, requests: &left)
        var pages = [records.selection]
        var key = KeyInference.key(of: first.stream, in: records.selection).map { [$0] }
        let isUsual = key != nil
        if !isUsual, paginator.value.kind == .singlePage { key = KeyInference.combination(in: pages) }
        var isChanging = false
        if key == nil, records.selection.count > 1, left > 0 {
            let read = try await second.pages(behind: records, by: paginator.value, atMost: min(2, left))
            isChanging = read.first.map { $0.count > 0 && $0.texts.isDisjoint(with: records.selection.texts) } ?? false
            pages += read.dropFirst()
            key = KeyInference.combination(in: pages)
        }
        let isReplaced = isChanging && key == nil
        if isReplaced, paginator.value.kind == .auto {
            paginator = .init(.singlePage, "\(paginator.remark), and nothing leads to another page", isDoubtful: true)
        }
        return StarterFindings(
            mediaTypes: first.stream.response.mediaTypes, recordSelector: records.finding, recordShape: records.shape,
            listName: records.listName, primaryKey: finding(of: key, isUsual: isUsual, in: pages),
            replacesTable: isReplaced, paginator: paginator,
            cursorFields: CursorInference.fields(of: records.selection))
    }

    private static func finding(
        of key: [String]?, isUsual: Bool, in pages: [Selection]
    ) -> StarterFindings.Finding<[String]?> {
        let count = pages.reduce(0) { $0 + $1.count }
        guard let key else {
            let remark = count == 0 ? "the page has no records" : "no usual fields differ in all \(count) records"
            return .init(
                nil, "\(remark); without a key, records that come again make a later sync fail, or are stored again",
                isDoubtful: true)
        }
        if count == 1 { return .init(key, "a guess, since there was one record only", isDoubtful: true) }
        let differs = key.count == 1 ? "it differs" : "together they differ"
        return .init(key, "\(differs) in all \(count) records that were looked at", isDoubtful: !isUsual)
    }
}

extension Selection {
    /// The records as they are written.
    fileprivate var texts: Set<[UInt8]> {
        var texts: Set<[UInt8]> = []
        forEach { texts.insert(Array($0.utf8)) }
        return texts
    }
}
