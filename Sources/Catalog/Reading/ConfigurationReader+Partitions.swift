extension ConfigurationReader {
    private static let maximumCombinations = 100_000

    func partitions(_ value: YAMLValue) -> [Partition]? {
        guard let mapping = value.mapping(hint: "write partitions: { repo: [a, b] }") else { return nil }
        guard !mapping.entries.isEmpty else {
            value.fail("'\(value.name)' is empty", hint: "write partitions: { repo: [a, b] }, or remove it")
            return nil
        }
        let partitions = mapping.entries.compactMap(partition)
        guard partitions.count == mapping.entries.count else { return nil }
        var combinations = 1
        for partition in partitions {
            let (product, overflows) = combinations.multipliedReportingOverflow(by: partition.values.count)
            guard !overflows, product <= Self.maximumCombinations else {
                value.fail(
                    "'\(value.name)' has more than \(Self.maximumCombinations) combinations",
                    hint: "write fewer values, or use 'parent'")
                return nil
            }
            combinations = product
        }
        return partitions
    }

    private func partition(_ entry: YAMLMapping.Entry) -> Partition? {
        guard Template("{partition.\(entry.key)}").placeholders == [.partition(entry.key)] else {
            issues.fail(
                at: entry.keyPlace, "this name of a partition cannot be used",
                hint: "use letters, digits, '_' and '-' only, as in {partition.repo}")
            return nil
        }
        guard let values = entry.value.texts() else { return nil }
        guard !values.isEmpty, !values.contains("") else {
            entry.value.fail("'\(entry.value.name)' has no value", hint: "write a list such as [a, b]")
            return nil
        }
        guard Set(values).count == values.count else {
            entry.value.fail("'\(entry.value.name)' has a value twice", hint: "keep one of them")
            return nil
        }
        return Partition(name: entry.key, values: values)
    }
}
