import Catalog
import Fetcher
import JSON
import Persistence
import Sync

/// What `garner init` finds out about a collection from one page of it.
struct CollectionSurvey {
    /// Of where the page really is, which a redirect may have told.
    let address: StarterAddress
    let findings: StarterFindings
    /// What a person should know of.
    let doubts: [String]

    /// Fetches the first page.
    ///
    /// Throws `Failure` where there is none.
    init(of asked: StarterAddress, as stream: Catalog.Stream, with setup: Setup) async throws {
        let sample: PageSample
        do {
            sample = try await setup.withTransports(of: nil) { transports in
                try await PageSample.fetch(
                    stream, transport: transports.transport(for: stream), timing: setup.timing)
            }
        } catch {
            var failure = Failure(error)
            let without = "add --offline to write the file without asking the API"
            failure.hint = failure.hint.map { "\($0); or \(without)" } ?? without
            throw failure
        }
        address = asked.moved(to: sample.source)
        let records = try sample.records
        findings = StarterFindings(
            recordSelector: records.finding, primaryKey: Self.key(of: stream.name, in: records),
            paginator: sample.paging(of: records, asked: asked.query),
            cursorFields: CursorInference.fields(of: records.selection))
        let moved = address == asked ? [] : ["base_url: the API has redirected to \(address.baseURL)"]
        doubts = moved + findings.doubts
    }

    private static func key(
        of stream: StreamName, in records: SampledRecords
    ) -> StarterFindings.Finding<String?> {
        let count = records.selection.count
        guard let key = KeyInference.key(of: stream, in: records.selection) else {
            let remark =
                count == 0 ? "there was no record to look at" : "no usual field differs in all \(count) records"
            return .init(nil, "\(remark); without a key every sync adds all records anew", isDoubtful: true)
        }
        if count == 1 { return .init(key, "a guess, since there was one record only", isDoubtful: true) }
        return .init(key, "it differs in all \(count) records that were looked at")
    }
}
