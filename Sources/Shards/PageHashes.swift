import GarnerDigest

/// The hashes of a shard's pages, and their checksum: the XOR of all of them.
///
/// A hash is of the number and the image of its page. So the checksum tells pages that are missing, changed or in another place, and a
/// changed page changes it without a look at the others.
struct PageHashes: Sendable {
    private var hashes: [Int64] = []
    private(set) var checksum: Int64 = 0

    var pageCount: Int { hashes.count }

    static func hash(of image: UnsafeRawBufferPointer, page: Int) -> Int64 {
        Fingerprint(of: image, as: UInt64(truncatingIfNeeded: page)).shortened
    }

    /// Sets a page. Those before it that were never set have the hash 0.
    mutating func set(_ page: Int, to image: [UInt8]) {
        if page > hashes.count { hashes += repeatElement(0, count: page - hashes.count) }
        let hash = image.withUnsafeBytes { Self.hash(of: $0, page: page) }
        checksum ^= hashes[page - 1] ^ hash
        hashes[page - 1] = hash
    }

    /// Removes the pages beyond the count.
    mutating func cut(to count: Int) {
        while hashes.count > count { checksum ^= hashes.removeLast() }
    }
}
