import Catalog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Timing {
    /// The system's, for composition roots: that of `garner`, and what other programs call.
    package static var system: Timing {
        Timing(
            clock: ContinuousClock(),
            now: { Timestamp(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))) },
            random: { Double.random(in: 0..<1) })
    }
}
