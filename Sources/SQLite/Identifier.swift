/// Writes a name as an SQL identifier, whatever is in it but NUL.
package func quoted(_ name: String) -> String {
    let quote = UInt8(ascii: "\"")
    var bytes = [quote]
    // Not by Characters: a quote and a combining mark behind it are one, which is no quote.
    for byte in name.utf8 {
        if byte == quote { bytes.append(quote) }
        bytes.append(byte)
    }
    bytes.append(quote)
    return String(decoding: bytes, as: UTF8.self)
}
