/// What a value of the file may be, as far as an editor can tell.
indirect enum Schema: Sendable {
    /// Numbers and booleans are texts too.
    case text
    /// A text with `${NAME}`, or `{ file: path }`.
    case secret
    case flag
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case duration
    case size
    case jsonPath
    case choice([String])
    case list(Schema)
    /// Names of any kind with values of one kind; nothing at all counts as none.
    case named(Schema)
    /// These keys and no others.
    case mapping([Field])
    /// A mapping that its `type` chooses.
    case variants([(type: String, fields: [Field])])
    case anyOf([Schema])
    /// The value, or nothing behind the colon.
    case optional(Schema)
    case anything
    /// What another key of this name says too.
    case reference(String)

    static let texts = Schema.anyOf([.text, .list(.text)])
}
