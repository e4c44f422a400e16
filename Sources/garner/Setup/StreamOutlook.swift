import Catalog
import Persistence
import Sync

/// What a sync would do about one of several streams.
enum StreamOutlook {
    case planned(StreamPlan)
    /// What it would ask for is made from the records of this one, which the same sync would read for the first time.
    case after(StreamName, of: StreamName)
    case impossible(Failure)

    init(of stream: Stream, among streams: [Stream], _ plan: () throws -> StreamPlan) {
        do {
            self = .planned(try plan())
        } catch let error as PersistenceError where error.kind == .missing {
            let parent = streams.first { $0.name == stream.parent?.stream }?.name
            self = parent.map { .after($0, of: stream.name) } ?? .impossible(Failure(error, of: stream))
        } catch {
            self = .impossible(Failure(error, of: stream))
        }
    }

    var failure: Failure? {
        if case .impossible(let failure) = self { failure } else { nil }
    }
}
