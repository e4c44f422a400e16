import GarnerCatalog
import GarnerModel
import GarnerPersistence

/// A parameter of an address that cannot be used.
struct ParameterError: FailureConvertible, Equatable {
    let name: String
    let value: String
    /// The values that can be used, as an imperative.
    let advice: String

    var failure: RunFailure {
        RunFailure(
            .usage, kind: "parameter", message: "'\(value.prefix(60))' cannot be used as \(name)", hint: .text(advice))
    }
}

/// A request for a stream that neither the configuration nor the database has.
struct UnknownStream: FailureConvertible, Equatable {
    let name: String
    let known: [String]

    var failure: RunFailure {
        let closest = Suggestion.closest(to: name, among: known)
        return RunFailure(
            .usage, kind: "unknown_stream", message: "no stream is called '\(name.prefix(200))'",
            hint: .text(closest.map { "did you mean '\($0)'?" } ?? "begin at /, which lists all streams"))
    }
}

extension Timestamp {
    /// Reads a moment as people and SQLite write it: a day, or a time of day that needs neither seconds nor zone.
    init?(written text: String) {
        guard let moment = [text, "\(text)Z", "\(text):00Z"].lazy.compactMap(Timestamp.init(rfc3339:)).first else {
            return nil
        }
        self = moment
    }
}

extension QueryItem {
    /// The value as yes or no; nil if it is neither.
    var truth: Bool? {
        switch value.lowercased() {
        case "1", "true", "yes": true
        case "0", "false", "no": false
        default: nil
        }
    }
}

extension WebRequest {
    /// Returns true if the rows are wanted, too, that are kept although the source lacks their records.
    func showsDeleted() throws -> Bool {
        guard let item = query.last(where: { $0.name == TableAddress.deleted }) else { return false }
        guard let truth = item.truth else {
            throw ParameterError(name: item.name, value: item.value, advice: "write 1 to show deleted rows, too, or 0")
        }
        return truth
    }

    /// Returns a value that is not empty. The empty one of a form means that nothing was chosen.
    func choice(_ name: String) -> String? { value(of: name).flatMap { $0.isEmpty ? nil : $0 } }

    func run(_ name: String) throws -> RunID? {
        try choice(name).map { text in
            guard let run = RunID(text), run >= 0 else {
                throw ParameterError(name: name, value: text, advice: "give the number of a run")
            }
            return run
        }
    }

    func number(_ name: String, default standard: Int, upTo most: Int) throws -> Int {
        guard let text = choice(name) else { return standard }
        guard let number = Int(text), (1...most).contains(number) else {
            throw ParameterError(name: name, value: text, advice: "give a number from 1 to \(most)")
        }
        return number
    }

    func option<Option: RawRepresentable<String> & CaseIterable>(_ name: String, _: Option.Type) throws -> Option? {
        try choice(name).map { text in
            guard let option = Option(rawValue: text) else {
                let words = Option.allCases.map(\.rawValue).joined(separator: ", ")
                throw ParameterError(name: name, value: text, advice: "give one of \(words)")
            }
            return option
        }
    }

    /// This page with another value of a parameter; nil takes it away.
    func link(with name: String, _ value: String?) -> Link {
        var link = link
        link.query.removeAll { $0.name == name || $0.value.isEmpty }
        return value.map { link.adding(name, $0) } ?? link
    }
}

extension Dashboard {
    /// Returns the name of the stream that `name` means: one of the configuration, or of the database.
    static func stream(_ name: String, among known: [StreamName]) throws -> StreamName {
        guard let found = known.first(where: { $0.description.utf8.elementsEqual(name.utf8) }) else {
            throw UnknownStream(name: name, known: known.map(\.description))
        }
        return found
    }
}
