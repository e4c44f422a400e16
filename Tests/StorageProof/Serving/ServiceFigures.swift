import Foundation

/// The resources that a process uses, as Linux reports them in `/proc`.
struct ServiceFigures {
    let processorTime: Duration
    let kibibytes: Int
    let descriptors: Int

    /// Returns nil if there is no such process, or if the system has no `/proc`.
    init?(process: Int32) {
        let folder = "/proc/\(process)"
        guard let stat = try? String(contentsOfFile: "\(folder)/stat", encoding: .utf8),
            let status = try? String(contentsOfFile: "\(folder)/status", encoding: .utf8),
            let open = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd")
        else { return nil }
        // Behind the name, which may hold anything: state is field 3, utime 14 and stime 15 (proc(5)).
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return nil }
        processorTime = .seconds(user + system) / Int(sysconf(Int32(_SC_CLK_TCK)))
        kibibytes = status.firstMatch(of: /VmRSS:\s+(\d+)/).flatMap { Int($0.1) } ?? 0
        descriptors = open.count
    }
}
