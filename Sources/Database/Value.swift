/// A value as a database stores it.
package enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// The kind of a stored value.
public enum ValueKind: Sendable {
    case null, integer, real, text, blob
}
