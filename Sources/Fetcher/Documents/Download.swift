import GarnerCatalog
import GarnerLibC

/// A document that was downloaded into a file completely.
///
///     let file = try await fetcher.download(to: "animals.pdf")
///     print(file.url, file.bytes)
public struct DownloadedDocument: Sendable {
    /// The URL that the document came from, after all redirects; without secrets.
    ///
    ///     print(file.url)
    public let url: String
    /// The status and header fields of the response.
    ///
    ///     print(file.head.status)
    public let head: ResponseHead
    /// The length of the file.
    ///
    ///     print(file.bytes)
    public let bytes: Int
}

/// An attempt that writes the response into a file as it arrives, within all timeouts.
struct Download: Sendable {
    let attempt: RequestAttempt
    let path: String

    struct Reply: Sendable {
        let address: WebAddress
        let head: ResponseHead
        let count: Int
    }

    /// Sends the request. Throws as `RequestAttempt` does. The file is published only when the body is complete.
    func perform(_ request: Request) async throws -> Reply {
        try await attempt.perform(request) { response, activity in
            try await write(response, to: request, activity)
        }
    }

    private func write(_ response: Response, to request: Request, _ activity: ActivityTracker) async throws -> Reply {
        let head = response.head
        guard case .body(var incoming) = try await attempt.open(response, to: request, activity: activity) else {
            throw FetchError.Kind.emptyBody(status: head.status)
        }
        if let types = request.documentTypes {
            _ = try await attempt.requireType(among: types, of: head, &incoming)
        } else {
            switch MediaTypeCheck(format: attempt.format).verdict(on: head) {
            case .json, .jsonLines: break
            case .refused(let kind): throw kind
            case .other(let type):
                let excerpt = attempt.redaction.excerpt(of: try await incoming.start(atLeast: 1))
                throw FetchError.Kind.mediaType(type, excerpt: excerpt)
            }
        }
        let reader = try BodyReader(head: head, limit: attempt.limits.body)
        guard head.tellsItsEnd else { throw FetchError.Kind.openEnd }
        let file = try DownloadFile(for: path)
        do {
            var count = 0
            while let chunk = try await reader.chunk(after: count, of: &incoming) {
                try Task.checkCancellation()
                try chunk.withUnsafeBytes { try file.append($0) }
                count += chunk.count
                let total = count
                request.trace.note { $0.bytes = total }
            }
            guard count > 0 else { throw FetchError.Kind.emptyBody(status: head.status) }
            activity.hold()
            try file.publish()
            return Reply(address: request.address, head: head, count: count)
        } catch {
            file.discard()
            throw error
        }
    }
}

/// A file that gets its name when it is complete. A pipe or a device is written to directly.
private final class DownloadFile: Sendable {
    private let path: String
    /// The file to replace, if `path` is a link to it.
    private let place: String
    /// The unfinished file; nil for a pipe or a device.
    private let part: String?
    private let descriptor: Int32

    /// Creates the unfinished file, with the permissions of the file that it replaces.
    init(for path: String) throws(FetchError.Kind) {
        self.path = path
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            guard status.st_mode & S_IFMT != S_IFDIR else { throw Self.error(EISDIR, path) }
            (place, part) = (path, nil)
            // Without O_NONBLOCK, opening a pipe waits until somebody reads it.
            descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            let isUnread = descriptor < 0 && errno == ENXIO && status.st_mode & S_IFMT == S_IFIFO
            guard !isUnread else { throw .unwritable(file: path, reason: "it is a pipe that no program reads") }
            guard descriptor >= 0 else { throw Self.error(errno, path) }
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
            return
        }
        let resolved = isThere ? realpath(path, nil) : nil
        place = resolved.map { String(cString: $0) } ?? path
        free(resolved)
        let permissions = isThere ? status.st_mode & 0o777 : 0o644
        for attempt in 0..<100 {
            let name = "\(place).\(getpid())\(attempt == 0 ? "" : "\(attempt)").garner.part"
            let opened = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(permissions))
            if opened < 0, errno == EEXIST { continue }
            guard opened >= 0 else { throw Self.error(errno, path) }
            // The user's mask has removed some of them.
            if isThere { fchmod(opened, permissions) }
            (part, descriptor) = (name, opened)
            return
        }
        throw Self.error(EEXIST, path)
    }

    deinit { close(descriptor) }

    /// Throws `FetchError.Kind`.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.error(errno, path) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Gives the file its name, once its content is on the disk.
    func publish() throws(FetchError.Kind) {
        guard let part else { return }
        // "EINVAL fd is bound to a special file … which does not support synchronization" (fsync(2)).
        guard fsync(descriptor) == 0 || errno == EINVAL, rename(part, place) == 0 else {
            throw Self.error(errno, path)
        }
    }

    func discard() { if let part { unlink(part) } }

    private static func error(_ number: Int32, _ path: String) -> FetchError.Kind {
        .unwritable(file: path, reason: String(cString: strerror(number)))
    }
}
