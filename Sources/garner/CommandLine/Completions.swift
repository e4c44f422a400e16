import ArgumentParser
import Catalog
import Model
import Persistence

// Shells complete the names in the configuration and the database that the command line names.
extension CompletionKind {
    /// The streams of the configuration, by their full names and, if unambiguous, their bare names.
    static let streams = custom { words, _, _ in
        guard let streams = try? setup(words).configuration(needsSecrets: false).streams else { return [] }
        let bare = Dictionary(grouping: streams, by: \.name.stream).filter { $0.value.count == 1 }.keys
        return (streams.map(\.name.description) + bare).sorted()
    }

    /// The tables of the database.
    static let tables = custom { words, _, _ in (try? setup(words).reader().tableNames()) ?? [] }

    /// The columns of the table that the command line names. The prefix may hold other columns and a comma.
    static let columns = custom { words, _, prefix in
        guard let reader = try? setup(words).reader(), let tables = try? reader.tableNames(),
            let table = words.last(where: tables.contains),
            let columns = try? reader.description(of: table).columns.map(\.name)
        else { return [] }
        let before = prefix.lastIndex(of: ",").map { String(prefix[...$0]) } ?? ""
        return columns.map { before + $0 }
    }

    static let configurationFile = file(extensions: ["yaml", "yml"])

    private static func setup(_ words: [String]) throws -> Setup {
        var options = try SharedOptions.parse([])
        options.config = ArgumentOrder.lastValue(of: ["-c", "--config"], in: words)
        options.database = ArgumentOrder.lastValue(of: ["-d", "--database"], in: words)
        return Setup(options)
    }
}
