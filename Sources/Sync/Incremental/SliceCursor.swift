import Catalog
import Fetcher

/// How far an incremental read of a slice has come, and which part it asks for next.
struct SliceCursor: Sendable {
    let windows: CursorWindows
    private let field: CursorField
    /// Nothing was read of the slice before, so that its first page shows whether there is such a field.
    private let isNew: Bool

    /// Throws `IncrementalError` and `SelectorError`.
    ///
    /// - Parameters:
    ///   - cursor: what an earlier read has reached; nil where there was none.
    ///   - signpost: when the read began.
    init(_ incremental: Incremental, behind cursor: String?, signpost: Timestamp) throws {
        windows = try CursorWindows(incremental, cursor: cursor, signpost: signpost)
        field = try CursorField(incremental)
        isNew = cursor == nil
    }

    /// The greatest cursor up to this page.
    func watermark(_ before: String?, behind page: Page) throws(IncrementalError) -> String? {
        guard case .records(let records) = page.content else { return before }
        if isNew, page.position.number == 0, before == nil { try field.check(records) }
        return CursorValue.latest(before.map(CursorValue.init), field.latest(in: records))?.text
    }
}
