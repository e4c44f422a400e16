import FaultyStorage
import Synchronization

/// The changes that a scenario made to its files, and the points at which its steps were acknowledged.
final class RecordedCalls: Sendable {
    enum Event: Sendable {
        case call(Storage.Call)
        case acknowledged(Int)
    }

    private let log = Mutex<[Event]>([])

    var events: [Event] { log.withLock { $0 } }

    /// Notes a call that leaves something on the disk; the index of the log is memory only.
    func note(_ call: Storage.Call) {
        guard call.succeeded, [GARNER_FILE_DATABASE, GARNER_FILE_LOG, GARNER_FILE_JOURNAL].contains(call.file) else {
            return
        }
        switch call.kind {
        case GARNER_CALL_OPEN, GARNER_CALL_WRITE, GARNER_CALL_TRUNCATE, GARNER_CALL_SYNC, GARNER_CALL_DELETE:
            log.withLock { $0.append(.call(call)) }
        default: break
        }
    }

    func acknowledge(_ steps: Int) { log.withLock { $0.append(.acknowledged(steps)) } }
}
