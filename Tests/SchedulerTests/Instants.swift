import GarnerCatalog
import GarnerModel
import Testing

/// Reads an instant in a test's table.
func instant(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Timestamp {
    try #require(Timestamp(rfc3339: text), sourceLocation: sourceLocation)
}

func + (left: Timestamp, right: Duration) -> Timestamp {
    left.advanced(by: right)
}

func - (left: Timestamp, right: Duration) -> Timestamp {
    left.advanced(by: .zero - right)
}
