#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// The socket of a service manager.
    final class NotifySocket: Sendable {
        private let descriptor: Int32
        private let heard = Watched<[String]>([])

        /// - Parameter name: a path, or the name of an abstract socket with `@` before it.
        init(_ name: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let isAbstract = name.hasPrefix("@")
            let bytes = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
            let capacity = MemoryLayout.size(ofValue: address.sun_path)
            try #require(bytes.count < capacity)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
            let result = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(result == 0)
        }

        deinit { close(descriptor) }

        /// The messages that have come since the last call.
        func messages() -> [String] {
            var messages: [String] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
                messages.append(String(decoding: buffer.prefix(count), as: UTF8.self))
            }
            heard.change { $0 += messages }
            return messages
        }

        /// The first line of each message that ever came.
        func steps() -> [String] {
            _ = messages()
            return heard.value.map { String($0.prefix { $0 != "\n" }) }
        }
    }
#endif
