import Catalog

/// An instant of a stream, and when it is to be run.
struct Departure: Sendable, Equatable {
    let nominal: Timestamp
    let due: Timestamp
    /// The instants after it are those behind this: the nominal instant, or where another schedule took over.
    var end: Timestamp
    /// It runs however late it is: the grace of `catch_up: none` is not for it.
    var isExcused = false
}
