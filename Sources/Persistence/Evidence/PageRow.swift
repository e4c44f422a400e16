import GarnerModel

/// What is stored of a page, besides its records: a row of `_garner_pages`.
struct PageRow {
    let id: PageID
    /// The fingerprint of the keys of its records; nil if unknown.
    let keysDigest: String?
    /// True if its records are stored as members.
    let hasMembers: Bool
    let recordCount: Int
}
