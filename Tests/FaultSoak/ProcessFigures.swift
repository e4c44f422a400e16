import Foundation

/// The resources that this process uses; nil values on a system without `/proc`.
struct ProcessFigures {
    let descriptors: Int?
    let residentBytes: Int?
    /// The most that was ever resident.
    let peakBytes: Int?

    init() {
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        residentBytes = Self.bytes("VmRSS", in: status)
        peakBytes = Self.bytes("VmHWM", in: status)
    }

    /// Reads the bytes from a line such as `VmRSS:	   12345 kB`.
    private static func bytes(_ name: String, in status: String) -> Int? {
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }
}
