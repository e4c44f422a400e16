extension Animal {
    /// The object that the API answers with: every value but `id` is text.
    func json(baseURL: String) -> JSONValue {
        .object([
            ("name", .string(name)),
            ("latin_name", .string(latinName)),
            ("animal_type", .string(type.rawValue)),
            ("active_time", .string(activeTime.rawValue)),
            ("length_min", .string(lengthInFeet.lowerBound.decimalText(minimumPlaces: 2))),
            ("length_max", .string(lengthInFeet.upperBound.decimalText(minimumPlaces: 2))),
            ("weight_min", .string(weightInPounds.lowerBound.decimalText(minimumPlaces: 2))),
            ("weight_max", .string(weightInPounds.upperBound.decimalText(minimumPlaces: 2))),
            ("lifespan", .string(lifespanInYears.decimalText(minimumPlaces: 0))),
            ("habitat", .string(habitat)),
            ("diet", .string(diet)),
            ("geo_range", .string(geoRange)),
            ("image_link", .string("\(baseURL)images/\(id)")),
            ("id", .integer(id)),
        ])
    }
}
