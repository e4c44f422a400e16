import GarnerCatalog
import GarnerJSON

extension BodyBuffer {
    /// True if the body begins as a gzip file does (RFC 1952, 2.3.1): its mark, and the only method of compression.
    private var isGzipFile: Bool { start.starts(with: Self.gzipMark) }

    static let gzipMark: [UInt8] = [0x1F, 0x8B, 8]

    /// Returns the content of a gzip file with all its members (RFC 1952, 2.2); any other body as it is.
    ///
    /// Throws if a checksum or length is wrong, if the file is cut off, or if anything but zeros follows it.
    consuming func unzipped(limits: Limits, _ memory: BodyMemory) throws(FetchError.Kind) -> BodyBuffer {
        guard isGzipFile else { return self }
        var content = BodyBuffer(expecting: count, memory)
        let inflater = Inflater(takesRawDeflate: false)
        let product = count.multipliedReportingOverflow(by: limits.ratio ?? Limits.standardRatio)
        let largest = max(
            limits.ratio == nil ? Limits.lengthOfAnyRatio : 0, product.overflow ? .max : product.partialValue)
        var refusal: FetchError.Kind?
        try read { part in
            guard refusal == nil else { return }
            do throws(InflateError) {
                try inflater.inflate(part) { piece in
                    if piece.count > limits.body - content.count {
                        refusal = .bodyTooLarge(limit: limits.body)
                    } else if piece.count > largest - content.count {
                        refusal = .excessiveRatio(limit: limits.ratio ?? Limits.standardRatio)
                    } else {
                        content.append(piece)
                    }
                    return refusal == nil
                }
            } catch {
                refusal = .decompression(reason: error.reason)
            }
        }
        if let refusal { throw refusal }
        do throws(InflateError) {
            try inflater.finish()
        } catch {
            throw .decompression(reason: error.reason)
        }
        return content
    }
}

extension Bytes {
    /// The beginning of the bytes, if it is that of HTML or XML; nil otherwise.
    var markup: [UInt8]? {
        withUnsafeBytes { bytes in
            let start = bytes.prefix(4096)
            return start.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<") ? Array(start) : nil
        }
    }

    /// Returns the text in UTF-8. Throws if the bytes are no text in `charset`; UTF-8 is left to the parser to check.
    consuming func utf8(from charset: ResponseFormat.Charset) throws(FetchError.Kind) -> Bytes {
        switch charset {
        case .utf8: return self
        case .utf16: return try utf16(isLittleEndian: withUnsafeBytes { $0.starts(with: [0xFF, 0xFE]) })
        case .utf16LittleEndian: return try utf16(isLittleEndian: true)
        case .utf16BigEndian: return try utf16(isLittleEndian: false)
        case .latin1: return singleBytes(except: [:])
        case .latin9: return singleBytes(except: Self.latin9)
        case .windows1252: return singleBytes(except: Self.windows1252)
        }
    }

    private borrowing func utf16(isLittleEndian: Bool) throws(FetchError.Kind) -> Bytes {
        var text = Bytes(reservingCapacity: count)
        var decoder = UTF16()
        let offset = withUnsafeBytes { bytes -> Int? in
            var place = 0
            var units = stride(from: 0, to: bytes.count - 1, by: 2).lazy.map { start -> UInt16 in
                place = start
                let (first, second) = (UInt16(bytes[start]), UInt16(bytes[start + 1]))
                return isLittleEndian ? second << 8 | first : first << 8 | second
            }.makeIterator()
            var isFirst = true
            while true {
                switch decoder.decode(&units) {
                case .scalarValue(let scalar):
                    // The byte order mark is no part of the text.
                    if !(isFirst && scalar == "\u{FEFF}") { text.append(scalar) }
                    isFirst = false
                case .emptyInput: return bytes.count % 2 == 0 ? nil : bytes.count - 1
                case .error: return place
                }
            }
        }
        if let offset { throw .json(reason: "half a character of UTF-16", offset: offset) }
        return text
    }

    private borrowing func singleBytes(except others: [UInt8: Unicode.Scalar]) -> Bytes {
        var text = Bytes(reservingCapacity: count)
        withUnsafeBytes { bytes in
            var plain = 0
            // Runs of ASCII are copied as a whole.
            for (place, byte) in bytes.enumerated() where byte >= 0x80 {
                text.append(UnsafeRawBufferPointer(rebasing: bytes[plain..<place]))
                text.append(others[byte] ?? Unicode.Scalar(byte))
                plain = place + 1
            }
            text.append(UnsafeRawBufferPointer(rebasing: bytes[plain...]))
        }
        return text
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { buffer in
            var count = 0
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                buffer[count] = byte
                count += 1
            }
            append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The bytes that ISO 8859-15 has other characters for than ISO 8859-1.
    private static let latin9: [UInt8: Unicode.Scalar] = [
        0xA4: "€", 0xA6: "Š", 0xA8: "š", 0xB4: "Ž", 0xB8: "ž", 0xBC: "Œ", 0xBD: "œ", 0xBE: "Ÿ",
    ]

    /// The same of windows-1252 (encoding.spec.whatwg.org/index-windows-1252.txt).
    private static let windows1252: [UInt8: Unicode.Scalar] = [
        0x80: "€", 0x82: "‚", 0x83: "ƒ", 0x84: "„", 0x85: "…", 0x86: "†", 0x87: "‡", 0x88: "ˆ", 0x89: "‰", 0x8A: "Š",
        0x8B: "‹", 0x8C: "Œ", 0x8E: "Ž", 0x91: "‘", 0x92: "’", 0x93: "“", 0x94: "”", 0x95: "•", 0x96: "–", 0x97: "—",
        0x98: "˜", 0x99: "™", 0x9A: "š", 0x9B: "›", 0x9C: "œ", 0x9E: "ž", 0x9F: "Ÿ",
    ]
}
