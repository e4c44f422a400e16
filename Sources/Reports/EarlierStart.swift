package import GarnerCatalog
import GarnerModel
package import GarnerPersistence

extension StreamConfiguration {
    /// Returns what is to be told, and what to try, if every read that is known began behind the `initial_value` of today, and the next one
    /// goes on from a cursor. Returns nil if that is not so, or not known.
    package func words(onStartIn reader: ReadOnlyDatabase) throws -> (text: String, remedy: String)? {
        guard let incremental, !incremental.isBackfill, incremental.fullRefreshEvery == nil,
            let initial = incremental.initialValue,
            let parameter = request.params.first(where: { $0.value == .literal("{incremental.start_value}") })?.name
        else { return nil }
        let starts = try reader.firstURLs(of: self).map { WebAddress($0)?.value(of: parameter) }
        guard let first = starts.last ?? nil,
            starts.allSatisfy({ $0.map { incremental.isStart(initial, before: $0) } ?? false })
        else { return nil }
        return (
            "initial_value of \(name) is \(initial) now, and its first read began at \(first); later reads go on where "
                + "the last one ended, so that no record from before comes",
            "run 'garner sync \(name) --full-refresh' once to read from initial_value on"
        )
    }
}

extension Incremental {
    /// Returns true if a configured start is before the one that a request has had.
    fileprivate func isStart(_ initial: String, before sent: String) -> Bool {
        let written = (requestFormat ?? formats.first)?.instant(of: sent, in: timezone)
        if let initial = instant(of: initial), let sent = written ?? instant(of: sent) { return initial < sent }
        guard let initial = Int64(initial), let sent = Int64(sent) else { return false }
        return initial < sent
    }
}
