import Testing

@testable import GarnerImport

struct JinjaFuzzTests {
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) << 32 | (state >> 13) & 0xFFFF_FFFF
        }
    }

    private static let seeds = [
        "{{ config['list'] | map('upper') | join(',') }}", "{% for x in range(9) %}{{ x * 7 // 2 - 3 }}{% endfor %}",
        "{% set a = [] %}{% set _ = a.append(record.id or 1) %}{{ a[0:-1] }}",
        "{{ 'a,b'.split(',')[1].replace('b', 'c' * 5) }}",
        "{{ format_datetime(config.start or '2024-01-01T00:00:00Z', '%Y-%m-%dT%H:%M:%S.%f%z') }}",
        "{% if config.size >= 10 and not record.x %}a{% elif config.key %}{{ 1.5e3 % 7 }}{% else %}c{%- endif -%} d",
        "{{ (now_utc() - duration('P1DT2H')).strftime('%s') if 1 < 2 <= 3 else [1, {'a': (2, 3)}] }}",
        "{{ '%s-%03d' % ('x', -5) ~ '{}{a}'.format(1, a=2) }}",
        "{'a': {{ record.id }}, 'b': [{{ config.size }}, '{{ response.x }}']}",
    ]
    private static let pieces = [
        "{{", "}}", "{%", "%}", "{#", "#}", "-", "+", "*", "**", "/", "//", "%", "(", ")", "[", "]", "{", "}", "|", ".",
        ",", ":", "~", "'", "\"",
        "\\", "9223372036854775807", "-9223372036854775808", "1e308", "0", "-1", "config", "record", "not ", " in ",
        " if ", " else ", " is ",
        "range(9000)", "'x' * 9999", "| tojson", "| int", "| sort", "| unique", "| round(3)", ".append(a)", ".items()",
        "[::-1]", "é", "\u{0}", "\u{E000}",
        "{% for y in range(99) %}", "{% endfor %}", "{% set a = [a, a] %}", "timestamp(", "str_to_datetime('2024')",
        "%Y%j%ms",
    ]

    private static func mutant(_ random: inout Random) -> String {
        var text = Array((seeds.randomElement(using: &random) ?? "").unicodeScalars)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0...text.count, using: &random)
            let end = min(text.count, place + Int.random(in: 0...6, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0: text.removeSubrange(place..<end)
            case 1:
                let other = Array((seeds.randomElement(using: &random) ?? "").unicodeScalars)
                text.insert(contentsOf: other[Int.random(in: 0..<other.count, using: &random)...], at: place)
            case 2: text.insert(contentsOf: text[place..<end], at: Int.random(in: 0...text.count, using: &random))
            default: text.insert(contentsOf: (pieces.randomElement(using: &random) ?? "").unicodeScalars, at: place)
            }
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: text)
        return String(view)
    }

    @Test(.timeLimit(.minutes(5)), arguments: 1...8)
    func `any text has a value or an error, within the limits`(_ seed: Int) {
        var random = Random(state: UInt64(seed))
        var count = 0
        for _ in 0..<1500 {
            let text = Self.mutant(&random)
            var evaluator = JinjaEvaluator(
                config: JinjaTests.config, parameters: .mapping([]), now: seed % 2 == 0 ? JinjaTimeTests.instant : nil)
            guard let value = try? evaluator.value(of: text) else { continue }
            count += 1
            if case .text(let result) = value {
                #expect(result.utf8.count <= JinjaEvaluator.longestText, "\(text)")
            }
        }
        #expect(count > 100)
    }
}
