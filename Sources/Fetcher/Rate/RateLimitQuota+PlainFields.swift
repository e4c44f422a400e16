import Catalog

extension RateLimitQuota {
    /// What stands in fields of one number each.
    static func plain(in headers: HeaderFields, sent: Timestamp) -> [RateLimitQuota] {
        ["X-RateLimit", "X-Rate-Limit", "RateLimit"].flatMap { prefix in
            let remaining = numbers(of: "\(prefix)-Remaining", in: headers).map { $0.map(Self.remaining) }
            let resets = Self.resets(of: "\(prefix)-Reset", in: headers, sent: sent)
            return (0..<max(remaining.count, resets.count)).map { place in
                // One reset for several limits is the reset of each.
                let reset = place < resets.count ? resets[place] : resets.last.flatMap { $0 }
                return RateLimitQuota(remaining: place < remaining.count ? remaining[place] : nil, reset: reset)
            }
        }
    }

    /// An instant in words is read only where it stands alone: it has a comma of its own, and takes long to read.
    private static func resets(of name: String, in headers: HeaderFields, sent: Timestamp) -> [Duration?] {
        let (lines, numbers) = (headers.values(of: name), Self.numbers(of: name, in: headers))
        if lines.count == 1, numbers.allSatisfy({ $0 == nil }),
            let date = HTTPDate(lines[0], now: sent)?.timestamp ?? Timestamp(rfc3339: lines[0])
        {
            return [max(sent.duration(to: date), .zero)]
        }
        return numbers.map { number in number.map { reset($0, sent: sent) } }
    }

    /// The members of a field in order, with nil for those that cannot be read.
    private static func numbers(of name: String, in headers: HeaderFields) -> [PlainNumber?] {
        headers.values(of: name).flatMap { line in
            line.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { member in
                PlainNumber(member.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
