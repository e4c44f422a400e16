/// The categories of failures that all modules distinguish.
///
/// A raw value is the number by which databases and the control protocol keep a category. It never changes.
package enum ErrorCategory: Int32, Sendable, Codable {
    /// The work was not done, for a reason that has no category of its own: a limit, an interruption, a hook.
    case failed = 1
    /// The request names something that does not exist, or makes no sense.
    case usage = 64
    /// A response or a record is not usable.
    case badContent = 65
    case missing = 66
    /// A server cannot be reached, or refuses.
    case unavailable = 69
    /// A rule of Garner's own was broken.
    case bug = 70
    /// The system gives too little, such as file descriptors.
    case system = 71
    case cannotCreate = 73
    case inputOutput = 74
    /// Another process has the database, or the service cannot take the request yet.
    case busy = 75
    /// A server or the file system denies the access.
    case noPermission = 77
    case misconfigured = 78
    case cancelled = 130
}

extension ErrorCategory {
    /// Creates a category from its number. A number that a newer version wrote stands for `failed`.
    package init(number: Int64) {
        self = Int32(exactly: number).flatMap(ErrorCategory.init(rawValue:)) ?? .failed
    }

    package init(from decoder: any Decoder) throws {
        self.init(number: Int64(try decoder.singleValueContainer().decode(Int32.self)))
    }
}
