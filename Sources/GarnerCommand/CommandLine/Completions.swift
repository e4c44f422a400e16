import ArgumentParser
import GarnerCatalog
import GarnerModel
import GarnerPersistence

// Shells complete the names in the configuration and the database that the command line names.
extension CompletionKind {
    /// The streams of the configuration, by their full names and, if unambiguous, their bare names.
    static let streams = custom { words, _, _ in
        guard let streams = try? setup(words).configuration(needsSecrets: false).streams else { return [] }
        let bare = Dictionary(grouping: streams, by: \.name.stream).filter { $0.value.count == 1 }.keys
        return (streams.map(\.name.description) + bare).sorted()
    }

    static let tables = custom { words, _, _ in (try? setup(words).reader().tableNames()) ?? [] }

    static let tablesAndViews = custom { words, _, _ in (try? relations(setup(words).reader())) ?? [] }

    /// The columns of the table or view that the command line names. The prefix may hold other columns and a comma.
    static let columns = custom { words, _, prefix in
        guard let reader = try? setup(words).reader(), let relations = try? relations(reader),
            let relation = words.last(where: relations.contains), let columns = try? reader.columnNames(of: relation)
        else { return [] }
        let before = prefix.lastIndex(of: ",").map { String(prefix[...$0]) } ?? ""
        return columns.map { before + $0 }
    }

    private static func relations(_ reader: ReadOnlyDatabase) throws -> [String] {
        try reader.tableNames() + reader.viewNames()
    }

    static let configurationFile = file(extensions: ["yaml", "yml"])

    private static func setup(_ words: [String]) throws -> Setup {
        var options = try SharedOptions.parse([])
        options.common.config = ArgumentOrder.lastValue(of: ["-c", "--config"], in: words)
        options.common.database = ArgumentOrder.lastValue(of: ["-d", "--database"], in: words)
        return Setup(options)
    }
}
