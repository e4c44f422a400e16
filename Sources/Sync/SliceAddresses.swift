import Synchronization

/// The addresses that a run has asked for the first pages of its slices, and those to which redirects led from them. A slice that ends up at
/// the address of another one has brought that one's list.
final class SliceAddresses: Sendable {
    /// Hashes, since there may be many slices.
    private let known = Mutex<(asked: Set<Int>, reached: Set<Int>)>(([], []))

    /// Notes the first page of a slice. Returns true if it came from the address of another slice, or another one's from its address.
    ///
    /// - Parameter reached: The address to which redirects led; nil if none did.
    func areMixed(asked: String, reached: String?) -> Bool {
        known.withLock { known in
            known.asked.insert(asked.hashValue)
            guard let reached, reached != asked else { return known.reached.contains(asked.hashValue) }
            known.reached.insert(reached.hashValue)
            return known.asked.contains(reached.hashValue)
        }
    }
}
