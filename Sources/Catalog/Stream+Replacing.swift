extension Stream {
    /// Whether the table becomes what a complete read returned.
    package var replacesTable: Bool { writeDisposition == .replace }

    /// Whether a complete read may delete rows, so that the records of each page must be known.
    package var deletesRows: Bool { deleteMissing != .ignore || replacesTable }
}
