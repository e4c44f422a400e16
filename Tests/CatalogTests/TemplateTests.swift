import GarnerCatalog
import Testing

struct TemplateTests {
    @Test(
        arguments: [
            ("", []),
            ("/a", [.literal("/a")]),
            ("/{parent.id}/b", [.literal("/"), .placeholder(.parent("id")), .literal("/b")]),
            ("{partition.repo}{partition.x-y}", [.placeholder(.partition("repo")), .placeholder(.partition("x-y"))]),
            ("{incremental.start_value}", [.placeholder(.incrementalStart)]),
            ("a{incremental.end_value}", [.literal("a"), .placeholder(.incrementalEnd)]),
            ("{{parent.größe.a}}", [.literal("{"), .placeholder(.parent("größe.a")), .literal("}")]),
            ("{parent}{parent.}{parent..a}{parent.a.}", [.literal("{parent}{parent.}{parent..a}{parent.a.}")]),
            ("{ parent.id } {word} {\"a\": 1} {", [.literal("{ parent.id } {word} {\"a\": 1} {")]),
            ("{now}", [.placeholder(time("now"))]),
            ("a{now - 7d, date}b", [.literal("a"), .placeholder(time("now - 7d, date")), .literal("b")]),
            ("{now + 1h, %d.%m.%Y %H:%M}", [.placeholder(time("now + 1h, %d.%m.%Y %H:%M"))]),
            ("{incremental.start_value, epoch_ms}", [.placeholder(time("incremental.start_value, epoch_ms"))]),
            ("{incremental.end_value - 1ms, date}", [.placeholder(time("incremental.end_value - 1ms, date"))]),
            ("{now playing} {now: 1} {nobody - 1} ${now}", [.literal("{now playing} {now: 1} {nobody - 1} ${now}")]),
            ("{now - {parent.id}}", [.literal("{now - "), .placeholder(.parent("id")), .literal("}")]),
            ("{parent.id", [.literal("{parent.id")]),
            ("${parent.id}", [.literal("${parent.id}")]),
            ("{incremental.start}{Parent.id}", [.literal("{incremental.start}{Parent.id}")]),
            ("{parent.{parent.id}", [.literal("{parent."), .placeholder(.parent("id"))]),
        ] as [(String, [Template.Part])])
    func `a text is cut into literals and placeholders`(text: String, expected: [Template.Part]) {
        let template = Template(text)
        #expect(template.parts == expected)
        let rewritten = template.parts.map { part in
            switch part {
            case .literal(let literal): literal
            case .placeholder(let placeholder): placeholder.description
            }
        }
        #expect(rewritten.joined() == text)
    }

    private static func time(_ text: String) -> Template.Placeholder {
        Template.Placeholder(name: text) ?? .partition("none")
    }

    @Test func `a time may be written without spaces`() {
        #expect(Template("{now-7d,date}").placeholders == Template("{now - 7d, date}").placeholders)
    }

    @Test func `values are encoded, what was written is not`() {
        let template = Template("/a b/{parent.id}?q={partition.q}")
        let filled = template.filled({ "\($0)" }, encoding: PercentEncoding.encoded)
        #expect(filled == "/a b/%7Bparent.id%7D?q=%7Bpartition.q%7D")
        #expect(template.placeholders == [.parent("id"), .partition("q")])
    }

    @Test func `a value is not filled in once more`() {
        #expect(Template("{parent.id}").filled { _ in "{parent.id}" } == "{parent.id}")
    }

    @Test func `without one of its values a text is not filled`() {
        let template = Template("{parent.id}{incremental.end_value}")
        #expect(template.filled { $0 == .parent("id") ? "1" : nil } == nil)
        #expect(template.filled { $0 == .parent("id") ? "1" : "" } == "1")
        #expect(Template("plain").filled { _ in nil } == "plain")
    }
}
