/// What a request's JSON body is made from; texts may hold placeholders or be secrets.
package indirect enum BodyValue: Sendable, Equatable {
    case null
    case flag(Bool)
    /// As JSON spells it.
    case number(String)
    case text(ConfiguredText)
    case array([BodyValue])
    /// Each name once, in the order of the file.
    case object([Member])

    package struct Member: Sendable, Equatable {
        package var name: String
        package var value: BodyValue

        package init(name: String, value: BodyValue) {
            self.name = name
            self.value = value
        }
    }
}
