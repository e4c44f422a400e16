/// Metrics in Prometheus' text format, version 0.0.4.
///
///     var text = MetricsText()
///     text.gauge("garner_rows", "The rows of a stream's table.", [([("stream", "zoo.animals")], 79)])
///     text.text  // "# HELP garner_rows The rows of a stream's table.\n# TYPE garner_rows gauge\n…"
package struct MetricsText: Sendable {
    package typealias Labels = [(name: String, value: String)]
    package typealias Sample = (labels: Labels, value: Double)

    package private(set) var text = ""

    package init() {}

    package mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) {
        add(name, help, type: "gauge", samples)
    }

    package mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) {
        add(name, help, type: "counter", samples)
    }

    /// Adds a histogram.
    ///
    /// - Parameter series: The labels of each series, the number of values up to each bound, not counting those up to an
    ///   earlier one, the number of all values and their sum.
    package mutating func histogram(
        _ name: String, _ help: String, bounds: [Double],
        _ series: [(labels: Labels, counts: [Int], count: Int, sum: Double)]
    ) {
        guard !series.isEmpty else { return }
        head(name, help, type: "histogram")
        for one in series {
            var total = 0
            for (bound, count) in zip(bounds, one.counts) {
                total += count
                line("\(name)_bucket", one.labels + [("le", Self.number(bound))], Double(total))
            }
            line("\(name)_bucket", one.labels + [("le", "+Inf")], Double(one.count))
            line("\(name)_sum", one.labels, one.sum)
            line("\(name)_count", one.labels, Double(one.count))
        }
    }

    private mutating func add(_ name: String, _ help: String, type: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        head(name, help, type: type)
        for sample in samples { line(name, sample.labels, sample.value) }
    }

    private mutating func head(_ name: String, _ help: String, type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func line(_ name: String, _ labels: Labels, _ value: Double) {
        let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        text += "\(name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(Self.number(value))\n"
    }

    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    /// Escapes by bytes, since a quote with a combining mark is a single character.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
