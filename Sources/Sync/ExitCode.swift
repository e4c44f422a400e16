/// The exit codes of a program, from sysexits.h if it has a word for the reason.
package enum ExitCode {
    package static let failed: Int32 = 1
    package static let partial: Int32 = 2
    package static let overdue: Int32 = 3
    package static let usage: Int32 = 64
    package static let badContent: Int32 = 65
    package static let inputMissing: Int32 = 66
    package static let unavailable: Int32 = 69
    package static let bug: Int32 = 70
    package static let system: Int32 = 71
    package static let cannotCreate: Int32 = 73
    package static let inputOutput: Int32 = 74
    package static let locked: Int32 = 75
    package static let noPermission: Int32 = 77
    package static let configuration: Int32 = 78
    package static let interrupted: Int32 = 130
    package static let terminated: Int32 = 143
}
