import TestSupport

/// A record with numbers and texts that are hard to keep, and what has to come out again: the same for the same number.
struct ExactRecord {
    enum Value {
        /// A number in the spelling of the source.
        case number(String)
        case text([UInt8])
    }

    private(set) var json = "{"
    /// The values by the name of the member, as bytes; a missing member has no value.
    private(set) var values: [[UInt8]: Value] = [:]

    /// The number of numbers in each record.
    static let numbersPerRecord = 5

    init(number: Int, seed: UInt64) {
        var random = SplitMix64(seed: seed ^ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15)
        add("id", .number("\(number)"))
        add(
            "i",
            .number(
                "\(Bool.random(using: &random) ? ExactCorpus.int64(&random) : Int64.random(in: .min ... .max, using: &random))"
            ))
        add("m", .number(ExactCorpus.number(&random)))
        add("d", .number(ExactCorpus.decimal(&random)))
        add("r", .number(ExactCorpus.double(&random)))
        // A double until page three or so, then anything: the table changes its mind about what is stored.
        add("late", .number(number < 300 ? ExactCorpus.double(&random) : ExactCorpus.number(&random)))
        add("s", .text(ExactCorpus.text(&random)))
        for _ in 0..<3 {
            let names = Bool.random(using: &random) ? ExactCorpus.names : ExactCorpus.hostileNames
            let name = names[Int.random(in: names.indices, using: &random)]
            // Of duplicate names the last counts.
            for _ in 0..<Int.random(in: 1...2, using: &random) { add(name, .text(ExactCorpus.text(&random))) }
        }
        json += "}"
    }

    private mutating func add(_ name: String, _ value: Value) {
        json += json.utf8.count > 1 ? "," : ""
        json += "\(ExactCorpus.quoted(Array(name.utf8), escapingAll: false)):"
        switch value {
        case .number(let spelling): json += spelling
        case .text(let bytes): json += ExactCorpus.quoted(bytes, escapingAll: bytes.count % 2 == 0)
        }
        values[Array(name.utf8)] = value
    }
}

/// A number as its sign, its digits without zeros at either end, and the power of ten that they are multiplied by.
struct ExactNumber: Equatable {
    let isNegative: Bool
    let digits: [UInt8]
    let exponent: Int

    /// Returns nil if the text is not a JSON number.
    init?(_ text: some Collection<UInt8>) {
        var rest = Array(text)[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        var digits: [UInt8] = []
        var exponent = 0
        var isFraction = false
        var hasDigits = false
        while let byte = rest.first, byte == UInt8(ascii: ".") || (48...57).contains(byte) {
            rest.removeFirst()
            if byte == UInt8(ascii: ".") {
                guard !isFraction, hasDigits else { return nil }
                isFraction = true
                continue
            }
            hasDigits = true
            digits.append(byte)
            if isFraction { exponent -= 1 }
        }
        guard hasDigits else { return nil }
        if let byte = rest.first {
            guard byte | 0x20 == UInt8(ascii: "e"), let power = Int(String(decoding: rest.dropFirst(), as: UTF8.self))
            else {
                return nil
            }
            exponent += power
        }
        while digits.last == 48 {
            digits.removeLast()
            exponent += 1
        }
        self.digits = Array(digits.drop { $0 == 48 })
        self.exponent = self.digits.isEmpty ? 0 : exponent
    }
}
