import GarnerModel

/// A row of `_garner_pages`, which tells of a page, but not its records.
struct PageRow {
    let id: PageID
    /// The fingerprint of the keys of its records; nil if unknown.
    let keysDigest: String?
    /// True if its records are stored as members.
    let hasMembers: Bool
    let recordCount: Int
    /// The last read that has seen it.
    let read: ReadID
}
