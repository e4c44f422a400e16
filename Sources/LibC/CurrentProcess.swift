// Darwin and Glibc declare `environ` as a variable that any thread may write. This program only reads it.
#if canImport(Glibc)
    @preconcurrency import Glibc
#elseif canImport(Musl)
    @preconcurrency import Musl
#else
    @preconcurrency import Darwin
#endif

/// The process that this code runs in.
public enum CurrentProcess {
    /// The variables of its environment. Of two with the same name, the first counts, as in getenv(3).
    public static var environment: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let separator = text.firstIndex(of: "="), variables[String(text[..<separator])] == nil {
                variables[String(text[..<separator])] = String(text[text.index(after: separator)...])
            }
            next += 1
        }
        return variables
    }

    /// The path by which its program can be started again; nil if the system does not tell it.
    ///
    /// On Linux it is a link to the program that runs, whatever has come in the place of its file since: an upgrade while a
    /// service runs.
    public static var executablePath: String? {
        #if canImport(Darwin)
            var size = UInt32(PATH_MAX)
            var path = [CChar](repeating: 0, count: Int(size) + 1)
            guard _NSGetExecutablePath(&path, &size) == 0 else { return nil }
            return path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
        #else
            let link = "/proc/self/exe"
            return access(link, X_OK) == 0 ? link : nil
        #endif
    }
}
