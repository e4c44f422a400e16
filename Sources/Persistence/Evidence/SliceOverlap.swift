import GarnerCatalog
import GarnerDigest
import GarnerModel

/// The records of a run that come in several slices, although each is one row: under several partitions or parents.
///
/// The row keeps the partition values of the slice that is first in order, so that the next run changes nothing.
final class SliceOverlap {
    /// True if the records of a run come in several slices.
    let hasSlices: Bool
    /// The largest number of keys that are remembered. Beyond it, each row gets the value that comes last.
    private static let maximum = 2 << 20

    /// The place in the read's order of the first slice that had each key, by the key's short fingerprint.
    private var places: [Int64: Int] = [:]
    /// The keys that several slices had.
    private var shared: Set<Int64> = []
    /// The values of the partitions in each slice, for people.
    private var values: [Int: String] = [:]
    private var current = 0
    /// The place of the other slice that had the last record; nil if none had.
    private var other: Int?
    /// The number of records that changed a row which another slice had written.
    private(set) var conflicts = 0
    private(set) var conflictsInPage = 0
    /// The first conflict: the key, and the values of both slices, or the address of the later one.
    private(set) var first: (key: String?, slices: [String])?
    private var address = ""

    /// True if a record of the run has come in several slices.
    var sharesRecords: Bool { !shared.isEmpty }

    /// True if the last record has changed nothing but the values of partitions in its row.
    var hasChangedValuesOnly = false

    /// The place of a record's slice among those of the run that have the same key.
    enum Order {
        /// No other slice has had the key so far.
        case first
        /// A slice that comes later in the read's order has had it.
        case before
        /// This slice or one that comes earlier has had it. The row keeps its values.
        case behind
    }

    init(of stream: StreamConfiguration) { hasSlices = stream.parent != nil || !stream.partitions.isEmpty }

    /// - Parameter text: The slice's values of partitions; nil if it has none.
    func beginPage(of slice: SliceID, values text: String?, url: String) {
        conflictsInPage = 0
        address = url
        guard let text else {
            current = Int(slice.number)
            return
        }
        // Pages of a read that replaces its table come in order, and their slices have gone.
        current = slice.number > 0 ? Int(slice.number) : values.first { $0.value == text }?.key ?? values.count + 1
        values[current] = text
    }

    /// Notes the key of a record.
    func order(of key: Fingerprint) -> Order {
        other = nil
        hasChangedValuesOnly = false
        let key = key.shortened
        guard let place = places[key] else {
            if places.count < Self.maximum { places[key] = current }
            return .first
        }
        if place != current {
            other = place
            shared.insert(key)
        }
        guard current < place else { return .behind }
        places[key] = current
        return .before
    }

    /// The slices of the run that have shown a record so far.
    enum Place {
        case nowhere, here, elsewhere
        /// More keys came than are remembered.
        case unknown
    }

    func place(of key: Fingerprint) -> Place {
        let key = key.shortened
        if shared.contains(key) { return .elsewhere }
        if let place = places[key] { return place == current ? .here : .elsewhere }
        return places.count < Self.maximum ? .nowhere : .unknown
    }

    /// Forgets a record that its slice has deleted.
    func forget(_ key: Fingerprint) { places[key.shortened] = nil }

    /// Notes that the record's content differs from what its row had.
    func noteConflict(of key: @autoclosure () -> String?) {
        guard let other else { return }
        conflicts += 1
        conflictsInPage += 1
        guard first == nil else { return }
        first = (key(), values.isEmpty ? [address] : [other, current].sorted().map { values[$0] ?? "" })
    }
}
