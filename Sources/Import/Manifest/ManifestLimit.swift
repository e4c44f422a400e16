/// The limits for connectors' files, since they come from strangers.
enum ManifestLimit {
    static let bytes = 4 << 20
    /// Nodes that are written, where an alias counts each time.
    static let writtenNodes = 500_000
    /// Nodes of streams, after references and parameters made copies.
    static let expandedNodes = 200_000
    /// Members of mappings that references and parameters copy.
    static let copiedMembers = 1_000_000
    /// Parts inside each other, after references are replaced.
    static let depth = 60
    /// Streams of a file, and streams that a configuration lists for one template.
    static let streams = 2_000
}
