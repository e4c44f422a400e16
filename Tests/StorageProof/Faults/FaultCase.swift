import FaultyStorage

/// A call that fails, in one way, once or with all that follow.
struct FaultCase: Sendable {
    /// The number of the call, counted from 1.
    let call: Int
    let fault: Fault
    let isForEver: Bool

    enum Fault: String, CaseIterable, Sendable {
        case eio, enospc, short

        var code: garner_storage_fault {
            switch self {
            case .eio: GARNER_FAULT_IO
            case .enospc: GARNER_FAULT_SPACE
            case .short: GARNER_FAULT_SHORT
            }
        }
    }

    var name: String { "call \(call) \(fault.rawValue) \(isForEver ? "for ever" : "once")" }

    /// True if the run goes on in the same process; false if it goes on in the next one.
    var isHealedInPlace: Bool { !isForEver && call % 2 == 1 }

    /// Every way in which one of these calls can fail.
    static func all(of calls: [garner_storage_call]) -> [FaultCase] {
        calls.enumerated().flatMap { index, call in
            Fault.allCases.filter { garner_storage_can_fail(call, $0.code) != 0 }.flatMap { fault in
                [false, true].map { FaultCase(call: index + 1, fault: fault, isForEver: $0) }
            }
        }
    }
}
