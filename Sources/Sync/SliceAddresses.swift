import GarnerCatalog
import GarnerFetcher
import Synchronization

/// The addresses that a run has asked for the first pages of its slices, and those to which redirects led from them. A slice that ends up at
/// the address of another one has brought that one's list.
///
/// So has one whose answer names another one at a place that has named two others rightly: `parent_id` of a folder may be that of the folder
/// above it, and `self` the same everywhere. What it named in earlier reads counts, too. And so has one whose answer names another one and has its records.
final class SliceAddresses: Sendable {
    /// Hashes, since there may be many slices.
    private let known = Mutex<(asked: Set<Int>, reached: Set<Int>)>(([], []))

    private let stated: Mutex<Statements>

    private struct Statements {
        /// The places that have named two lists of this read or of an earlier one rightly.
        var naming: Set<String>
        /// The digests of the names of lists that were asked for, each with its kind.
        var asked: Set<[String]> = []
        /// The names of lists by the places that have named them rightly.
        var right: [String: Set<String>] = [:]
        /// The names by the places that have named others than were asked for.
        var others: [String: Set<String>] = [:]
        /// The names of lists that were asked for, by the place, the name that stands there and the records beside it.
        var alike: [[String]: Set<String>] = [:]
    }

    /// - Parameter naming: The places that have named two lists of an earlier read rightly.
    init(naming: Set<String>) { stated = Mutex(Statements(naming: naming)) }

    /// The places that have named two lists of this read or of an earlier one rightly.
    var naming: Set<String> { stated.withLock(\.naming) }

    /// Notes what an answer says of its list. Returns true if it names another list of the run, or if another answer has named this one.
    ///
    /// - Parameter names: The lists that the run asks for; empty if they are not known.
    func areMixed(_ echo: RequestEcho, in list: Template.Placeholder, asked: String, among names: [String]) -> Bool {
        let (own, name) = (RequestEcho.digest(of: asked), "\(list.name) \(echo.place)")
        return stated.withLock { stated in
            stated.asked.insert([list.name, own])
            let isRight = echo.digest == own
            let isKnown = stated.naming.contains(name)
            if isRight {
                stated.right[name, default: []].insert(own)
                if stated.right[name]?.count ?? 0 > 1 { stated.naming.insert(name) }
            } else {
                stated.others[name, default: []].insert(echo.digest)
            }
            if let records = echo.records {
                let said = [name, echo.digest, records]
                stated.alike[said, default: []].insert(own)
                // A word that is the same beside all lists is that of something else only if it does not stand beside the same records.
                if let lists = stated.alike[said], lists.count > 1, lists.contains(echo.digest) { return true }
            }
            guard stated.naming.contains(name) else { return false }
            guard isRight else {
                return stated.asked.contains([list.name, echo.digest])
                    || names.contains { RequestEcho.digest(of: $0) == echo.digest }
            }
            // The second right one shows what the place is for.
            guard !isKnown else { return stated.others[name]?.contains(own) == true }
            return stated.others[name]?.contains { stated.asked.contains([list.name, $0]) } == true
        }
    }

    /// Notes the first page of a slice. Returns true if it came from the address of another slice, or another one's from its address.
    ///
    /// - Parameter reached: The address to which redirects led; nil if none did.
    func areMixed(asked: String, reached: String?) -> Bool {
        known.withLock { known in
            known.asked.insert(asked.hashValue)
            guard let reached, reached != asked else { return known.reached.contains(asked.hashValue) }
            known.reached.insert(reached.hashValue)
            return known.asked.contains(reached.hashValue)
        }
    }
}
