package import GarnerModel

/// A reason why sources belong together: in one process, and in one file.
package struct SourceTie: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        /// The requests of `stream` are made from rows of the stream `named`.
        case rows(of: StreamName, for: StreamName)
        /// One login, which is made once for all of them.
        case login
        /// One host, with one limit of requests.
        case host(String)
    }

    package let reason: Reason
    /// In the order of the file, each once, and at least two.
    package let sources: [String]
}

extension Configuration {
    /// The sources, in groups of those that belong together. Both are in the order of the file.
    package var groups: [[String]] {
        let sources = sources
        var group = Dictionary(uniqueKeysWithValues: sources.enumerated().map { ($1, $0) })
        for tie in ties {
            let joined = Set(tie.sources.compactMap { group[$0] })
            guard joined.count > 1, let first = joined.min() else { continue }
            for source in sources where group[source].map(joined.contains) ?? false { group[source] = first }
        }
        return Dictionary(grouping: sources) { group[$0] ?? 0 }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The names of the sources with streams, each once and in the order of the file.
    package var sources: [String] { streams.map(\.name.source).withoutRepetitions }

    package var ties: [SourceTie] {
        var ties: [SourceTie] = []
        func add(_ reason: SourceTie.Reason, _ sources: [String]) {
            let sources = sources.withoutRepetitions
            if sources.count > 1 { ties.append(SourceTie(reason: reason, sources: sources)) }
        }
        for stream in streams {
            if let parent = stream.parent {
                add(.rows(of: parent.stream, for: stream.name), [parent.stream.source, stream.name.source])
            }
            guard stream.readsTables else { continue }
            let words = stream.queryWords
            for other in streams where other.isNamed(among: words) {
                add(.rows(of: other.name, for: stream.name), [other.name.source, stream.name.source])
            }
        }
        // Secrets are compared, and not hashed.
        var logins: [(login: Login, sources: [String])] = []
        for stream in streams {
            guard let login = Login(stream.request) else { continue }
            if let index = logins.firstIndex(where: { $0.login == login }) {
                logins[index].sources.append(stream.name.source)
            } else {
                logins.append((login, [stream.name.source]))
            }
        }
        for (_, sources) in logins { add(.login, sources) }
        let hosts = Dictionary(grouping: streams.filter { !$0.host.isEmpty }, by: \.host)
        for (host, streams) in hosts.sorted(by: { $0.key < $1.key }) { add(.host(host), streams.map(\.name.source)) }
        return ties
    }

    /// Returns the configuration with the streams of some sources alone.
    ///
    /// - Parameter places: The shards of the sources, for the advice to streams that need rows of another one.
    package func restricted(to sources: Set<String>, places: [String: Int] = [:]) -> Configuration {
        var restricted = self
        restricted.streams = streams.filter { sources.contains($0.name.source) }
        for case .rows(let needed, let stream) in ties.map(\.reason)
        where sources.contains(stream.source) && !sources.contains(needed.source) {
            guard let index = restricted.streams.firstIndex(where: { $0.name == stream }) else { continue }
            let line = "garner workers move \(stream.source) \(places[needed.source].map(String.init) ?? "SHARD")"
            restricted.streams[index].elsewhere[needed] = line
        }
        return restricted
    }
}

extension [String] {
    /// Each text once, where it comes first.
    fileprivate var withoutRepetitions: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}

extension StreamConfiguration {
    /// The host that the limit of runs for each host counts by; empty if the base URL names none.
    package var host: String { WebAddress(request.baseURL)?.host ?? "" }

    /// True if queries give values of its partitions.
    package var hasPartitionQueries: Bool {
        partitions.contains { if case .query = $0.origin { true } else { false } }
    }

    /// True if SQL over stored rows says what it requests.
    package var readsTables: Bool { hasPartitionQueries || parent?.condition != nil }

    /// The words of its queries for values of partitions, and of the condition on its parent, in lower case. Names of tables are among them.
    package var queryWords: Set<String> {
        var words = parent?.condition.map(Self.words) ?? []
        for case .query(let sql) in partitions.map(\.origin) { words.formUnion(Self.words(of: sql)) }
        return words
    }

    /// The words of SQL in lower case.
    package static func words(of sql: String) -> Set<String> {
        Set(sql.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    }

    /// Returns true if its table is among the words, or a table of the arrays in its records.
    package func isNamed(among words: Set<String>) -> Bool {
        let table = table.lowercased()
        return words.contains(table) || words.contains { $0.hasPrefix(table + "__") }
    }
}

/// A login, which a process makes once for all streams that have it.
private struct Login: Equatable {
    private let authentication: Authentication
    /// The URL that the path of a session's login follows; nil if the login has a whole URL.
    private let base: String?

    /// Fails for requests that prove by themselves who sends them, and for tokens that may be fetched by several.
    init?(_ request: RequestTemplate) {
        switch request.authentication {
        case .none, .bearer, .apiKey, .basic: return nil
        case .oauth2(let client):
            guard case .refreshToken = client.grant else { return nil }
            // Clients that differ in their scopes share one refresh token.
            var key = OAuth2(grant: client.grant, tokenURL: client.tokenURL, clientID: client.clientID, scopes: [])
            key.clientID = .secret(Secret(client.clientID.reveal()))
            authentication = .oauth2(key)
            base = nil
        case .command(let command):
            authentication = .command(TokenCommand(words: command.words))
            base = nil
        case .session(let session):
            authentication = request.authentication
            base = session.login.url == nil ? session.login.baseURL ?? request.baseURL : nil
        }
    }
}
