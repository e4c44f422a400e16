/// The resources that the requests leave in use.
struct SoakReport: Codable {
    var requests = 0
    /// The outcomes that should have been others.
    var unexpected: [String] = []
    /// Descriptors that were not open before, while the client lives: its idle connections.
    var kept = 0
    /// Descriptors that were not open before, when the client is gone.
    var leaked = 0
    /// Tasks that still wait for a time.
    var sleepers = 0
    /// The growth of the resident memory, in bytes.
    var growth = 0
}

/// The outcome and the memory use of reading one large body.
struct LargeBodyReport: Codable {
    let outcome: String
    /// The most resident memory that the process had, in bytes.
    let peak: Int
}
