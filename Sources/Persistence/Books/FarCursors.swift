import GarnerModel

// Cursors such as 9999-12-31 00:00:00, which no change can have reached.
extension OpenRun {
    /// Notes what a page has shown of the cursors of its slice.
    mutating func note(_ cursor: PageCommit.CursorProgress) {
        farCursor = farCursor ?? cursor.far
        hasNearCursor = hasNearCursor || cursor.watermark != nil
    }

    /// The warning that the cursor stays where it is, since no record of the read has another one.
    var farCursorWarning: String? {
        guard let farCursor, !hasNearCursor else { return nil }
        return "the cursor did not move: every value of cursor_field is beyond the next year, such as "
            + "'\(farCursor.prefix(60))'; set cursor_datetime_format to the format that records have, or "
            + "cursor_field to a field with the times of changes"
    }
}
