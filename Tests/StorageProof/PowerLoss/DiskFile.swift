import TestSupport

/// A file as a disk has it: what survives a loss of power, and what may or may not.
struct DiskFile {
    private static let sectorSize = 512

    private enum Change {
        case write(offset: Int, bytes: [UInt8])
        case truncate(size: Int)
    }

    private var durable: [UInt8]
    /// The changes since the last sync, in order.
    private var pending: [Change] = []

    init(durable: [UInt8] = []) { self.durable = durable }

    mutating func write(_ bytes: [UInt8], at offset: Int) { pending.append(.write(offset: offset, bytes: bytes)) }

    mutating func truncate(to size: Int) { pending.append(.truncate(size: size)) }

    mutating func sync() {
        for change in pending { Self.apply(change, to: &durable) }
        pending = []
    }

    /// One way in which the file may be found again: each change since the last sync was kept, dropped, or torn between
    /// its sectors. No sector is older than one that was kept before, since the system writes from one cache.
    func survivor(using generator: inout SplitMix64) -> [UInt8] {
        var bytes = durable
        let style = Style.allCases.randomElement(using: &generator) ?? .mixed
        let end = Int.random(in: 0...pending.count, using: &generator)
        for (index, change) in pending.enumerated() {
            switch style {
            case .kept: Self.apply(change, to: &bytes)
            case .dropped: break
            case .prefix where index < end: Self.apply(change, to: &bytes)
            case .prefix where index == end: Self.tear(change, into: &bytes, &generator)
            case .prefix: break
            case .mixed:
                switch Int.random(in: 0..<5, using: &generator) {
                case 0, 1: Self.apply(change, to: &bytes)
                case 2: Self.tear(change, into: &bytes, &generator)
                default: break
                }
            }
        }
        return bytes
    }

    private enum Style: CaseIterable {
        case kept, dropped, prefix, mixed
    }

    private static func apply(_ change: Change, to file: inout [UInt8]) {
        switch change {
        case .write(let offset, let bytes): put(bytes[...], at: offset, into: &file)
        case .truncate(let size):
            file = size < file.count ? Array(file[..<size]) : file + Array(repeating: 0, count: size - file.count)
        }
    }

    /// Each sector of a write on its own; bytes of a sector that the write does not cover stay.
    private static func tear(_ change: Change, into file: inout [UInt8], _ generator: inout SplitMix64) {
        guard case .write(let offset, let bytes) = change else { return }
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + sectorSize - (offset + start) % sectorSize)
            if Bool.random(using: &generator) { put(bytes[start..<end], at: offset + start, into: &file) }
            start = end
        }
    }

    private static func put(_ bytes: ArraySlice<UInt8>, at offset: Int, into file: inout [UInt8]) {
        let end = offset + bytes.count
        if file.count < end { file += Array(repeating: 0, count: end - file.count) }
        file.withUnsafeMutableBytes { file in
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: file[offset..<end]).copyMemory(from: $0) }
        }
    }
}
