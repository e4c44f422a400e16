import GarnerCatalog
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerReports

extension Dashboard {
    /// The metrics in Prometheus' text format.
    func metrics() async throws -> WebResponse {
        let (now, counters, streams) = (now(), runCounters, streamStatuses())
        let (marks, since) = (counters.marks, counters.since)
        let configuration = configuration()
        let (statuses, quarantined, runs, publication) = try await read { reader in
            let statuses = try streams(reader)
            return (
                statuses, try reader.quarantineCounts(), try reader.endedRuns(after: marks, orSince: since),
                try PublicationStanding(of: configuration, in: reader)
            )
        }
        counters.count(runs)
        var text = MetricsText()
        text.add(
            statuses, quarantined: quarantined, sizes: DatabaseSizes(path: database), version: version, now: now)
        text.add(publication, now: now)
        counters.write(to: &text)
        text.gauge("garner_event_listeners", "The open pages that listen for changes.", [([], Double(events.count))])
        ProcessMetrics.write(to: &text, startedAt: startedAt)
        return .text(text.text, type: "text/plain; version=0.0.4; charset=utf-8")
    }
}

/// The metrics of this process, as the system counts them.
enum ProcessMetrics {
    static func write(to text: inout MetricsText, startedAt: Timestamp?) {
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            text.counter(
                "process_cpu_seconds_total", "The processor time of this process.",
                [([], seconds(usage.ru_utime) + seconds(usage.ru_stime))])
        }
        if let pages = residentPages() {
            text.gauge(
                "process_resident_memory_bytes", "The memory of this process.",
                [([], Double(pages) * Double(sysconf(Int32(_SC_PAGESIZE))))])
        }
        if let startedAt {
            text.gauge(
                "process_start_time_seconds", "The start of this process.",
                [([], Double(startedAt.millisecondsSince1970) / 1000)])
        }
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }

    /// Returns the memory in pages; nil where there is no /proc.
    private static func residentPages() -> Int? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
            separator: " ")
        return words.count > 1 ? Int(words[1]) : nil
    }
}
