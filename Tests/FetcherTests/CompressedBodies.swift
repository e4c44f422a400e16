import Foundation

/// Bodies that were compressed elsewhere.
enum CompressedBodies {
    /// gzip of `[{"id":1},{"id":2},{"id":3}]`
    static let gzip = bytes("H4sIAAAAAAACA4uuVspMUbIyrNWBMIxgDOPaWAC0n5dmHAAAAA==")
    /// deflate (RFC 1950) of the same
    static let deflate = bytes("eJyLrlbKTFGyMqzVgTCMYAzj2lgAeuIIcA==")

    /// gzip of 256 KiB of spaces and `[]`, in 293 bytes
    static let spaces = bytes(
        """
        H4sIAAAAAAACA+3BQREAAAwCoCr28uxfY+91ABIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgK87GXmwYAIABAA=
        """)

    private static func bytes(_ base64: String) -> [UInt8] {
        Array(Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
    }
}
