extension Animal {
    /// The object that the API answers with.
    func json(baseURL: String) -> JSONValue {
        .object([
            ("name", .string(name)),
            ("latin_name", .string(latinName)),
            ("animal_type", .string(type.rawValue)),
            ("active_time", .string(activeTime.rawValue)),
            ("length_min", .number(lengthInFeet.lowerBound.decimalText(minimumPlaces: 0))),
            ("length_max", .number(lengthInFeet.upperBound.decimalText(minimumPlaces: 0))),
            ("weight_min", .number(weightInPounds.lowerBound.decimalText(minimumPlaces: 0))),
            ("weight_max", .number(weightInPounds.upperBound.decimalText(minimumPlaces: 0))),
            ("lifespan", .number(lifespanInYears.decimalText(minimumPlaces: 0))),
            ("habitat", .string(habitat)),
            ("diet", .string(diet)),
            ("geo_range", .string(geoRange)),
            ("image_link", .string("\(baseURL)images/\(id)")),
            ("id", .integer(id)),
        ])
    }
}
