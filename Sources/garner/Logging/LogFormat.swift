import ArgumentParser

/// How a service logs: one line an event.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// For people: time, level, message, and what belongs to it as `key=value`.
    case text
    /// For programs: an object with `time`, `level`, `message`, and what belongs to it as further members.
    case json
}

/// The options of commands that log.
struct LogOptions: ParsableArguments {
    @Option(name: .customLong("log-format"), help: "How the log is written.")
    var format: LogFormat?
}
