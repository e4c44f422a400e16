import Control

/// What tells one wish for a run from another.
enum RequestID {
    /// 64 random bits.
    static func random() -> String {
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
