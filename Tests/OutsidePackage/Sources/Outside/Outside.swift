import GarnerFetcher
import GarnerURLSessionTransport
import JSON
import Model
import SQLite
import Stream

/// Says the category of the failure of a request that nobody answers.
@main struct Outside {
    static func main() async throws {
        let own: [Any] = [Model(), JSON(), Stream(), SQLite.version]
        let connections = Connections(userAgent: "outside/1")
        do {
            let fetcher = try DocumentFetcher(DocumentRequest(url: "http://127.0.0.1:9/"), over: connections)
            print(try await fetcher.document().bytes.count)
        } catch let error as FetchError {
            print("\(error.category), \(own.count)")
        }
        try await connections.shutdown()
    }
}
