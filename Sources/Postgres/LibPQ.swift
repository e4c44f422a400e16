internal import CGarnerPostgres

/// PostgreSQL's client library, loaded when it is first needed.
enum LibPQ {
    /// Returns its functions. They stay valid as long as the process runs.
    static func functions() throws(PostgresError) -> UnsafePointer<GarnerLibPQ> { try loaded.get().functions }

    /// Loads the first of these libraries that there is.
    static func load(_ libraries: [String]) -> Result<Loaded, PostgresError> {
        var lacking: String?
        for library in libraries {
            var missing: UnsafePointer<CChar>?
            if let functions = garner_libpq_load(library, &missing) { return .success(Loaded(functions: functions)) }
            lacking = lacking ?? missing.map { String(cString: $0) }
        }
        guard let lacking else {
            return .failure(PostgresError(.libraryMissing, "PostgreSQL needs libpq: \(installation)"))
        }
        return .failure(
            PostgresError(.libraryMissing, "PostgreSQL needs a newer libpq, with \(lacking): \(installation)"))
    }

    /// The functions.
    ///
    /// `@unchecked Sendable` is safe because nobody writes to them after they were found.
    struct Loaded: @unchecked Sendable {
        let functions: UnsafePointer<GarnerLibPQ>
    }

    private static let loaded = load(names)

    #if os(macOS)
        // Homebrew does not link it into its lib folder.
        private static let names = [
            "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
        ]
        private static let installation = "brew install libpq"
    #else
        private static let names = ["libpq.so.5"]
        private static let installation = "apt install libpq5"
    #endif
}

/// A connection of libpq.
///
/// `@unchecked Sendable` is safe because one thread at a time has it. The thread that opened it hands it to the actor that owns it.
/// The actor's `deinit` closes it, too, on whatever thread lets go last; nobody else can have it then.
struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
    let libpq: UnsafePointer<GarnerLibPQ>

    var isOpen: Bool { libpq.pointee.PQstatus(pointer) == Int32(GARNER_CONNECTION_OK) }

    /// What libpq says about the last call, in its own words.
    var words: String { libpq.pointee.PQerrorMessage(pointer).map { String(cString: $0) } ?? "" }

    func close() { libpq.pointee.PQfinish(pointer) }
}
