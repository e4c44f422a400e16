import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPostgres

// One value, as its published column has it.
extension RowConverter {
    /// - Parameter rest: The row's `_garner_rest`.
    mutating func convert<Sink: PublishedRowSink>(
        _ value: StoredBytes, in source: Source, rest: StoredBytes, to sink: inout Sink
    ) throws {
        switch (source.column.type, value) {
        case (.numeric, _) where !source.column.isKey:
            if case .text(let rest) = rest, try appendSpelling(of: value, in: source, rest: rest, to: &sink) { return }
            try convertNumeric(value, in: source, to: &sink)
        case (_, .null):
            guard !source.column.isKey else { throw misfit(source, .otherType) }
            sink.appendNull()
        case (_, .blob): try refuse(value, in: source, .bytes, to: &sink)
        case (.boolean, _): try convertBoolean(value, in: source, to: &sink)
        case (.bigint, _): try convertInteger(value, in: source, to: &sink)
        case (.double, _): try convertDouble(value, in: source, to: &sink)
        case (.numeric, _): try convertNumeric(value, in: source, to: &sink)
        case (.timestamptz, .text(let text)): try convertInstant(text, in: source, to: &sink)
        case (.jsonb, .text(let text)): try convertJSON(text, in: source, to: &sink)
        case (.text, .text(let text)): try convertText(text, in: source, to: &sink)
        case (.text, .integer(let integer)): try sink.append(text: source.words(of: integer))
        case (.text, .real(let real)): try sink.append(text: real.words)
        case (.timestamptz, _), (.jsonb, _): try refuse(value, in: source, .otherType, to: &sink)
        }
    }

    private func misfit(_ source: Source, _ misfit: Misfit) -> KeyMisfit {
        KeyMisfit(column: source.column.file, type: source.column.type, misfit: misfit)
    }

    /// Leaves the column NULL, and sets the value aside. Throws if it is part of the key.
    private mutating func refuse<Sink: PublishedRowSink>(
        _ value: StoredBytes, in source: Source, _ misfit: Misfit, to sink: inout Sink
    ) throws {
        try keep(value, in: source, misfit)
        sink.appendNull()
    }

    /// Sets a value aside that the column may have, too, but not exactly. Throws if it is part of the key.
    private mutating func keep(_ value: StoredBytes, in source: Source, _ misfit: Misfit) throws {
        guard !source.column.isKey else { throw self.misfit(source, misfit) }
        if setAside(value, in: source) { notes.add(misfit, of: source.column.file) }
    }

    /// Puts a value into `_garner_rest`. Returns false, and notes it, if there is no room.
    @discardableResult
    mutating func setAside(_ value: StoredBytes, in source: Source) -> Bool {
        let name = source.restName
        var isHeld = true
        switch value {
        case .null: break
        case .integer(let integer): aside.add(name, json: source.words(of: integer).utf8)
        case .real(let real):
            aside.add(name, json: real.isFinite ? Array(real.description.utf8) : Array("\"\(real.words)\"".utf8))
        case .text(let text):
            if source.fileType == .json, CanonicalText.canHold(text) {
                let json = JSONBText(text)
                // With a number beyond `numeric`, all of it stays a text, as it was spelled.
                if json.verdict != .refused, !json.hasFarNumber {
                    if json.hasBadCharacter { notes.add(.replacedCharacter, of: source.column.file) }
                    aside.add(name, json: json.repaired)
                    return true
                }
            }
            let isExact = TextRepair.isHeld(text)
            if !isExact { notes.add(.replacedCharacter, of: source.column.file) }
            isHeld = aside.add(name, text: text)
        case .blob(let bytes): isHeld = aside.add(name, bytes: bytes)
        }
        if !isHeld { notes.add(.tooLong, of: source.column.file) }
        return isHeld
    }

    // MARK: - Booleans and numbers

    private mutating func convertBoolean<Sink: PublishedRowSink>(
        _ value: StoredBytes, in source: Source, to sink: inout Sink
    ) throws {
        let number: Double
        switch value {
        case .integer(let integer) where source.fileType == .boolean && (0...1).contains(integer):
            return sink.append(integer == 1)
        case .integer(let integer): number = Double(integer)
        case .real(let real): number = real
        case .text(let text) where text.elementsEqual("true".utf8): return sink.append(true)
        case .text(let text) where text.elementsEqual("false".utf8): return sink.append(false)
        case .text, .blob, .null: number = -1
        }
        // In a column that has become one of numbers, `true` and 1 differ. The file's own rest has `true`, and counts more.
        guard number == 0 || number == 1 else { return try refuse(value, in: source, .otherType, to: &sink) }
        try keep(value, in: source, .rounded)
        sink.append(number == 1)
    }

    private mutating func convertInteger<Sink: PublishedRowSink>(
        _ value: StoredBytes, in source: Source, to sink: inout Sink
    ) throws {
        var integer: Int64?
        var isExact = true
        switch value {
        case .integer(let value): integer = value
        case .real(let real): integer = Int64(exactly: real)
        case .text(let text):
            switch SpelledNumber(text) {
            case .integer(let spelled): integer = spelled
            case .real(let spelled): integer = Int64(exactly: spelled)
            case .other, nil: break
            }
            isExact = integer.map { text.elementsEqual(String($0).utf8) } ?? false
        case .blob, .null: break
        }
        guard let integer else { return try refuse(value, in: source, .otherType, to: &sink) }
        if !isExact { try keep(value, in: source, .rounded) }
        sink.append(integer)
    }

    private mutating func convertDouble<Sink: PublishedRowSink>(
        _ value: StoredBytes, in source: Source, to sink: inout Sink
    ) throws {
        switch value {
        case .real(let real): return sink.append(real)
        case .integer(let integer):
            let double = Double(integer)
            if Int64(exactly: double) != integer { try keep(value, in: source, .rounded) }
            return sink.append(double)
        case .text(let text):
            guard DecimalText.parts(text) != nil, let double = Double(String(decoding: text, as: UTF8.self)) else {
                break
            }
            guard double.isFinite else { return try refuse(value, in: source, .outOfRange, to: &sink) }
            if !Self.isUsual(text, double) { try keep(value, in: source, .rounded) }
            return sink.append(double)
        case .blob, .null: break
        }
        try refuse(value, in: source, .otherType, to: &sink)
    }

    /// True if the text is how Swift or JavaScript writes the number: `5.0` or `5`.
    private static func isUsual(_ text: UnsafeBufferPointer<UInt8>, _ double: Double) -> Bool {
        let usual = double.description
        return text.elementsEqual(usual.utf8) || usual.hasSuffix(".0") && text.elementsEqual(usual.utf8.dropLast(2))
    }

    private mutating func convertNumeric<Sink: PublishedRowSink>(
        _ value: StoredBytes, in source: Source, to sink: inout Sink
    ) throws {
        switch value {
        case .null:
            guard !source.column.isKey else { throw misfit(source, .otherType) }
            sink.appendNull()
        case .integer(let integer): try sink.append(number: String(integer))
        case .real(let real) where real.isFinite:
            let digits = real.description
            try sink.append(number: digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
        case .real: try refuse(value, in: source, .outOfRange, to: &sink)
        case .text(let text):
            guard let parts = DecimalText.parts(text) else {
                return try refuse(value, in: source, .otherType, to: &sink)
            }
            guard DecimalText.isHeld(parts) else { return try refuse(value, in: source, .outOfRange, to: &sink) }
            try sink.append(numeric: text, parts)
        case .blob: try refuse(value, in: source, .bytes, to: &sink)
        }
    }

    /// Appends the number as the API spelled it, which the file has in `_garner_rest` where its column has the nearest number. Returns false
    /// if it has none, or if somebody has written another number into the column since.
    private mutating func appendSpelling<Sink: PublishedRowSink>(
        of value: StoredBytes, in source: Source, rest: UnsafeBufferPointer<UInt8>, to sink: inout Sink
    ) throws -> Bool {
        guard let document = try? Document(parsing: Bytes(Array(rest))) else { return false }
        return try document.withRoot { root in
            guard let spelled = root[source.column.file], spelled.kind != .true, spelled.kind != .false,
                let parts = DecimalText.parts(spelled.utf8)
            else { return false }
            switch value {
            case .null: break
            case .integer(let integer): guard Double(spelled.text) == Double(integer) else { return false }
            case .real(let real): guard Double(spelled.text) == real else { return false }
            case .text, .blob: return false
            }
            guard DecimalText.isHeld(parts) else {
                // The rest has the spelling already.
                notes.add(.outOfRange, of: source.column.file)
                sink.appendNull()
                return true
            }
            try sink.append(numeric: spelled.utf8, parts)
            return true
        }
    }

    // MARK: - Texts

    private mutating func convertInstant<Sink: PublishedRowSink>(
        _ text: UnsafeBufferPointer<UInt8>, in source: Source, to sink: inout Sink
    ) throws {
        switch InstantText(text) {
        case .exact(let instant): try sink.append(instant: instant)
        case .nearest(let instant):
            try keep(.text(text), in: source, .rounded)
            try sink.append(instant: instant)
        case nil: try refuse(.text(text), in: source, .noInstant, to: &sink)
        }
    }

    private mutating func convertText<Sink: PublishedRowSink>(
        _ text: UnsafeBufferPointer<UInt8>, in source: Source, to sink: inout Sink
    ) throws {
        if TextRepair.isHeld(text) { return try sink.append(utf8: UnsafeRawBufferPointer(text)) }
        notes.add(.replacedCharacter, of: source.column.file)
        try TextRepair.repaired(text).withUnsafeBytes { try sink.append(utf8: $0) }
    }

    private mutating func convertJSON<Sink: PublishedRowSink>(
        _ text: UnsafeBufferPointer<UInt8>, in source: Source, to sink: inout Sink
    ) throws {
        // In a column that has become one of text, a text stays outside: readers of the column expect arrays and objects.
        guard text.first == UInt8(ascii: "[") || text.first == UInt8(ascii: "{") else {
            return try refuse(.text(text), in: source, .otherType, to: &sink)
        }
        let json = JSONBText(text)
        guard json.verdict != .refused, !json.hasFarNumber, CanonicalText.canHold(text) else {
            return try refuse(.text(text), in: source, .refusedJSON, to: &sink)
        }
        if json.verdict == .held { return try sink.append(json: UnsafeRawBufferPointer(text)) }
        notes.add(.replacedCharacter, of: source.column.file)
        try json.repaired.withUnsafeBytes { try sink.append(json: $0) }
    }
}

extension PublishedRowSink {
    fileprivate mutating func append(text: String) throws(PostgresError) {
        try Array(text.utf8).withUnsafeBufferPointer { (text) throws(PostgresError) in
            try append(utf8: UnsafeRawBufferPointer(text))
        }
    }

    fileprivate mutating func append(number: String) throws(PostgresError) {
        try Array(number.utf8).withUnsafeBufferPointer { (text) throws(PostgresError) in
            guard let parts = DecimalText.parts(text) else { return appendNull() }
            try append(numeric: text, parts)
        }
    }
}

extension RowConverter.Source {
    /// An integer of the column as JSON.
    fileprivate func words(of integer: Int64) -> String {
        guard fileType == .boolean, (0...1).contains(integer) else { return String(integer) }
        return integer == 1 ? "true" : "false"
    }
}

extension Double {
    /// The number in words that PostgreSQL reads.
    fileprivate var words: String { isInfinite ? self < 0 ? "-Infinity" : "Infinity" : description }
}
