/// Writes a name as an SQL identifier, whatever is in it but NUL.
package func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}
