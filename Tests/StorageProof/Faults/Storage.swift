import FaultyStorage
import Synchronization

/// The VFS under this process's connections.
enum Storage {
    struct Refused: Error {
        let code: Int32
    }

    static func install() throws {
        let code = garner_storage_install()
        guard code == 0 else { throw Refused(code: code) }
        garner_storage_reset()
    }

    /// Gives the system's own VFS back.
    static func uninstall() {
        garner_storage_reset()
        garner_storage_uninstall()
    }

    /// A call as it was made.
    struct Call: Sendable {
        let kind: garner_storage_call
        let file: garner_storage_file
        let path: String?
        let offset: Int
        let length: Int
        /// The bytes that were written.
        let bytes: [UInt8]
        /// True if an open created the file, or if a deletion synchronised the folder.
        let flag: Bool
        let succeeded: Bool
    }

    /// Runs `body`, and shows `observer` each call in the course of it.
    static func observing<R>(
        _ observer: @escaping @Sendable (Call) -> Void, _ body: () async throws -> R
    ) async throws -> R {
        let box = Observer(call: observer)
        garner_storage_reset()
        garner_storage_observe(
            { context, event in
                guard let context, let event else { return }
                Unmanaged<Observer>.fromOpaque(context).takeUnretainedValue().call(Call(event.pointee))
            }, Unmanaged.passUnretained(box).toOpaque())
        defer {
            garner_storage_reset()
            withExtendedLifetime(box) {}
        }
        return try await body()
    }

    private final class Observer: Sendable {
        let call: @Sendable (Call) -> Void

        init(call: @escaping @Sendable (Call) -> Void) { self.call = call }
    }
}

extension Storage.Call {
    fileprivate init(_ event: garner_storage_event) {
        kind = event.call
        file = event.file
        path = event.path.map { String(cString: $0) }
        offset = Int(event.offset)
        length = Int(event.length)
        bytes = event.bytes.map { Array(UnsafeRawBufferPointer(start: $0, count: Int(event.length))) } ?? []
        flag = event.flag != 0
        succeeded = event.result == 0
    }
}
