import TestSupport

extension VocabularyExamples {
    /// Bodies that are JSON in another form than "application/json" in UTF-8.
    static let responses: [VocabularyExample] = [mediaTypes] + formats.map(example(of:body:)) + encodings.map(example)

    private static let mediaTypes = VocabularyExample(
        "response: { media_types: [application/json, text/plain] }",
        [
            .get(
                "zoo.example/animals",
                gives: .response(headers: [("Content-Type", "text/plain")], body: #"[{"id":1}]"#))
        ], stores: ["1"])

    private static let formats = [("json", #"[{"id":1},{"id":2}]"#), ("json_lines", "{\"id\":1}\n{\"id\":2}\n")]

    private static func example(of format: String, body: String) -> VocabularyExample {
        VocabularyExample(
            "response:\n  format: \(format)\n  media_types: [text/plain]",
            [
                .get(
                    "zoo.example/animals",
                    gives: .response(headers: [("Content-Type", "text/plain")], body: body))
            ], stores: ["1", "2"])
    }

    private static func example(of charset: String, _ body: [UInt8]) -> VocabularyExample {
        VocabularyExample(
            "response: { charset: \(charset) }", [.get("zoo.example/animals", gives: .response(body: body))],
            stores: ["é"])
    }

    /// The text `[{"id":"é"}]` in each encoding.
    private static let encodings: [(String, [UInt8])] = [
        ("utf-8", singleBytes([0xC3, 0xA9])), ("iso-8859-1", singleBytes([0xE9])), ("iso-8859-15", singleBytes([0xE9])),
        ("windows-1252", singleBytes([0xE9])), ("utf-16", [0xFE, 0xFF] + utf16.flatMap { [0, $0] }),
        ("utf-16le", utf16.flatMap { [$0, 0] }), ("utf-16be", utf16.flatMap { [0, $0] }),
    ]

    private static func singleBytes(_ letter: [UInt8]) -> [UInt8] {
        Array(#"[{"id":""#.utf8) + letter + Array(#""}]"#.utf8)
    }

    /// The lower halves of the text's units; the others are 0.
    private static let utf16 = singleBytes([0xE9])

    /// Records in other forms than a list of objects, and fields that are not stored as they come.
    static let shapes: [VocabularyExample] = [
        .init(
            "record_selector: $.animals[*]\nrecord_shape: { type: objects }",
            [.get("zoo.example/animals", gives: .json(#"{"animals":[{"id":1}]}"#))], stores: ["1"]),
        .init(
            "record_selector: $.hourly\nrecord_shape: { type: columns }",
            [.get("zoo.example/animals", gives: .json(#"{"hourly":{"id":["08:00","09:00"],"visitors":[12,40]}}"#))],
            stores: ["08:00|12", "09:00|40"]),
        .init(
            "record_selector: $.prices\nrecord_shape: { type: entries, key_field: id, value_field: price }",
            [.get("zoo.example/animals", gives: .json(#"{"prices":{"child":4.5,"adult":{"price":9,"from":16}}}"#))],
            stores: ["child|4.5|", "adult|9.0|16"]),
        .init(
            "record_selector: $.rows\nrecord_shape: { type: rows, names: [id, name] }",
            [.get("zoo.example/animals", gives: .json(#"{"rows":[[1,"Otter"],[2,"Kea"]]}"#))],
            stores: ["1|Otter", "2|Kea"]),
        .init(
            "record_shape: { type: rows, names: first }",
            [.get("zoo.example/animals", gives: .json(#"[["id","name"],["1","Otter"]]"#))], stores: ["1|Otter"]),
        .init(
            "record_selector: $..animals[1:]\nrecord_filter: \"@.kind == 'otter' || @.n > 9007199254740992\"",
            [
                .get(
                    "zoo.example/animals",
                    gives: .json(
                        #"{"a":{"animals":[{"id":0,"kind":"otter"},{"id":1,"kind":"otter"},{"id":2,"n":9007199254740993}]}}"#
                    ))
            ], stores: ["1|otter|", "2||9007199254740993"]),
        .init(
            "deleted_when: \"@.is_deleted == true\"",
            [
                .get(
                    "zoo.example/animals",
                    gives: .json(#"[{"id":1},{"id":2,"is_deleted":false},{"id":1,"is_deleted":true}]"#))
            ], stores: ["2|0"]),
        .init(
            "fields: { keep: [id, name, $.home.city], rename: { name: title } }",
            [
                .get(
                    "zoo.example/animals",
                    gives: .json(#"[{"id":1,"name":"Otter","x":2,"home":{"city":"Bern","zip":7}}]"#))
            ],
            stores: ["1|Otter|Bern"]),
        .init(
            "fields: { types: { price: text, visits: integer, size: real, open: boolean } }",
            [
                .get(
                    "zoo.example/animals",
                    gives: .json(
                        #"[{"id":1,"price":12345678901234567890.10,"visits":"12","size":"1.5","open":1},"#
                            + #"{"id":2,"price":1,"visits":7,"size":3,"open":"false"}]"#))
            ],
            stores: ["1|12345678901234567890.10|12|1.5|1", "2|1|7|3.0|0"]),
        .init(
            "fields: { types: { price: numeric } }",
            [.get("zoo.example/animals", gives: .json(#"[{"id":1,"price":"19.99"}]"#))], stores: ["1|19.99"]),
        .init(
            "fields: { add: { source: zoo, rank: 1.5, year: 2026, wild: true } }",
            [.get("zoo.example/animals", gives: .json(#"[{"id":1}]"#))], stores: ["1|zoo|1.5|2026|1"]),
        .init(
            #"fields: { drop: [phone], hash: { fields: [name], key: "${KEY}" } }"#,
            // printf Otter | openssl dgst -sha256 -hmac s3cret-KEY
            [.get("zoo.example/animals", gives: .json(#"[{"id":1,"name":"Otter","phone":"s3cret-phone"}]"#))],
            stores: ["1|ccdc9d2ac577b1607bdcf318806d96eb758d5c2f8d5744df1a46c64d87e530d0"]),
    ]
}
