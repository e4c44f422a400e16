import TestSupport

extension ConfigurationExamples {
    static let streamsOfStreams = Example(
        .init(
            [
                .get("zoo.example/animals", gives: .json(#"[{"id":1,"name":"Otter"},{"id":2,"name":"Kea"}]"#)),
                .get("zoo.example/animals/1/feedings", gives: .json(#"[{"id":1,"food":"fish"}]"#)),
                .get("zoo.example/animals/2/feedings", gives: .json(#"[{"id":1,"food":"seeds"}]"#)),
                .get("code.example/repos/zoo-app/issues?state=open", gives: .json(#"[{"id":1,"title":"a"}]"#)),
                .get("code.example/repos/zoo-app/issues?state=closed", gives: .json(#"[{"id":2,"title":"b"}]"#)),
                .get("code.example/repos/zoo-site/issues?state=open", gives: .json("[]")),
                .get("code.example/repos/zoo-site/issues?state=closed", gives: .json(#"[{"id":3,"title":"c"}]"#)),
            ],
            stored: [
                "SELECT id, food, _animals_id, _animals_name FROM feedings": ["1|fish|1|Otter", "1|seeds|2|Kea"],
                "SELECT id, title FROM issues": ["1|a", "2|b", "3|c"],
            ]))

    static let changedParents = Example(
        .init(
            [
                .get("shop.example/orders", gives: .json(#"[{"id":1,"status":"new"},{"id":2,"status":"archived"}]"#)),
                .get("shop.example/orders/1/lines", gives: .json(#"[{"id":1,"item":"seeds"}]"#)),
            ], stored: ["SELECT _orders_id, id, item FROM order_lines": ["1|1|seeds"]]),
        .init(
            [
                .get(
                    "shop.example/orders",
                    gives: .json(#"[{"id":1,"status":"new"},{"id":2,"status":"archived"},{"id":3,"status":"new"}]"#)),
                .get("shop.example/orders/3/lines", gives: .json(#"[{"id":1,"item":"fish"}]"#)),
            ], stored: ["SELECT _orders_id, id, item FROM order_lines": ["1|1|seeds", "3|1|fish"]]))

    static let readingOnlyWhatChanged = Example(
        .init(
            [
                .get(
                    "zoo.example/sightings?from=2024-01-01T00%3A00%3A00Z&to=2024-01-31T00%3A00%3A00Z",
                    gives: .json(#"[{"id":1,"updated_at":"2024-01-05T12:00:00Z"}]"#)),
                .get(
                    "zoo.example/sightings?from=2024-01-31T00%3A00%3A00Z&to=2024-03-01T00%3A00%3A00Z",
                    gives: .json(#"[{"id":2,"updated_at":"2024-02-10T12:00:00Z"}]"#)),
                .get(
                    "zoo.example/sightings?from=2024-03-01T00%3A00%3A00Z&to=2024-03-31T00%3A00%3A00Z",
                    gives: .json("[]")),
                .get("zoo.example/sightings?from=*T00%3A00%3A00Z&to=20*", gives: .json("[]")).repeated(),
                .get("zoo.example/tickets", gives: .json(#"[{"id":1,"updated":1769774400,"created":1769770000}]"#)),
                .get("zoo.example/visits", gives: .json(#"[{"id":1}]"#)),
                .get(
                    "zoo.example/news?sort=-id", gives: .json(#"{"items":[{"id":2},{"id":1}],"next":null}"#)),
            ],
            stored: [
                "sightings": ["1|2024-01-05T12:00:00Z", "2|2024-02-10T12:00:00Z"],
                "tickets": ["1|1769774400|1769770000"],
                "visits": ["1"], "news": ["1", "2"],
            ]),
        .init(
            [
                .get(
                    "zoo.example/sightings?from=2024-02-10T11%3A00%3A00Z&to=2024-03-11T11%3A00%3A00Z",
                    gives: .json(#"[{"id":1,"updated_at":"2024-02-10T12:00:00Z"}]"#)),
                .get("zoo.example/sightings?from=*T11%3A00%3A00Z&to=20*", gives: .json("[]")).repeated(),
                .get(
                    "zoo.example/tickets?since=2026-01-30",
                    gives: .json(#"[{"id":2,"updated":null,"created":1769774400000}]"#)),
                .get("zoo.example/visits?since=1*", gives: .json(#"[{"id":2}]"#)),
                .get(
                    "zoo.example/news?sort=-id",
                    gives: .json(#"{"items":[{"id":3},{"id":2},{"id":1}],"next":"?page=2"}"#)),
            ],
            stored: [
                "news": ["1", "2", "3"],
                "sightings": ["1|2024-02-10T12:00:00Z", "2|2024-02-10T12:00:00Z"],
                "tickets": ["1|1769774400|1769770000", "2||1769774400000"], "visits": ["1", "2"],
            ]))

    static let partitionSources = Example(
        files: ["regions.txt": "north\nsüd\n"],
        .init(
            [
                .get(
                    "weather.example/cities",
                    gives: .json(
                        #"[{"id":1,"name":"bern","active":true},{"id":2,"name":"bonn","active":false},{"id":3,"name":"ulm","active":true}]"#
                    )),
                .get("weather.example/bern/stations", gives: .json(#"[{"id":1}]"#)),
                .get("weather.example/ulm/stations", gives: .json(#"[{"id":1},{"id":2}]"#)),
                .get("weather.example/warnings/north", gives: .json(#"[{"id":1}]"#)),
                .get("weather.example/warnings/s%C3%BCd", gives: .json("[]")),
            ],
            stored: [
                "SELECT _city, id FROM stations": ["bern|1", "ulm|1", "ulm|2"],
                "SELECT _region, id FROM warnings": ["north|1"],
            ]))

    static let responses = Example(
        .init(
            [
                .get("zoo.example/animals", gives: .status(409)),
                .get(
                    "zoo.example/animals",
                    gives: .json(
                        """
                        {"zoos":[{"id":9}],"animals":[
                        {"id":7,"photo_url":"/7.jpg","pedigree_url":"http://files.example/7.pdf"},
                        {"id":8,"photo_url":"/8.jpg","pedigree_url":null}]}
                        """)),
                .get("zoo.example/7.jpg", ["Accept": "image/*"], gives: .file("image/jpeg", "photo-7")),
                .get("zoo.example/8.jpg", gives: .response(status: 404, body: "no longer on display")),
                .get(
                    "files.example/7.pdf", ["Accept": "application/pdf"],
                    gives: .file("application/pdf", "pedigree-7")),
            ],
            stored: [
                "animals": ["7|/7.jpg|http://files.example/7.pdf", "8|/8.jpg|"],
                "SELECT url, media_type, content FROM _garner_attachments JOIN _garner_blobs USING (sha256)": [
                    "/7.jpg|image/jpeg|photo-7", "http://files.example/7.pdf|application/pdf|pedigree-7",
                ],
            ]),
        .init(
            [
                .get("zoo.example/animals", gives: .response(status: 404, body: "no longer on display")),
                .get("zoo.example/7.jpg", ["If-None-Match": "\"photo-7\""], gives: .response(status: 304)),
                .get("zoo.example/8.jpg", gives: .file("image/jpeg", "photo-8")),
                .get(
                    "files.example/7.pdf", ["If-None-Match": "\"pedigree-7\""], gives: .response(status: 304)),
            ],
            stored: [
                "SELECT id FROM animals": ["7", "8"],
                "SELECT content FROM _garner_blobs": ["photo-7", "pedigree-7", "photo-8"],
            ]))

    static let allTogether: Example = {
        let token = ["Authorization": "Bearer s3cret-ZOO_TOKEN", "Accept": "application/json"] as [String: String?]
        let zoo = "127.0.0.1:8080"
        let feedings: [RequestAttempt] = [
            .get(
                "\(zoo)/animals/1/feedings", token,
                gives: .json(#"[{"id":11,"photo_url":"/photos/11.jpg"},{"id":12,"photo_url":null}]"#)),
            .get(
                "\(zoo)/animals/2/feedings", token,
                gives: .json(#"[{"id":21,"photo_url":"http://files.example/21.png"}]"#)),
            .get("\(zoo)/animals/3/feedings", token, gives: .json("[]")),
        ]
        let files = [
            "/photos/11.jpg|image/jpeg|fish", "http://files.example/21.png|image/png|seeds",
        ]
        let attachments = "SELECT url, media_type, content FROM _garner_attachments JOIN _garner_blobs USING (sha256)"
        let children = "SELECT id, _animals_id FROM feedings"
        return Example(
            .init(
                [
                    .get(
                        "\(zoo)/animals?per_page=100&updated_since=2024-01-01T00%3A00%3A00Z", token,
                        gives: .json(
                            #"""
                            {"data":[{"id":1,"updated_at":"2024-02-01T00:00:00Z"},
                            {"id":2,"updated_at":"2024-02-02T00:00:00Z"}],"next":"http://127.0.0.1:8080/animals?after=2"}
                            """#)),
                    .get(
                        "\(zoo)/animals?after=2", token,
                        gives: .json(#"{"data":[{"id":3,"updated_at":"2024-02-03T00:00:00Z"}],"next":null}"#)),
                    .get("\(zoo)/animals/rand", token, gives: .json(#"{"id":2,"name":"Kea"}"#)),
                    .get(
                        "\(zoo)/photos/11.jpg", ["Authorization": "Bearer s3cret-ZOO_TOKEN", "Accept": "image/*"],
                        gives: .file("image/jpeg", "fish")),
                    .get(
                        "files.example/21.png", ["Authorization": nil, "Accept": "image/*"],
                        gives: .file("image/png", "seeds")),
                ] + feedings,
                stored: [
                    "animals": ["1|2024-02-01T00:00:00Z", "2|2024-02-02T00:00:00Z", "3|2024-02-03T00:00:00Z"],
                    "random_animal": ["2|Kea"], children: ["11|1", "12|1", "21|2"], attachments: files,
                ]),
            .init(
                [
                    .get(
                        "\(zoo)/animals?per_page=100&updated_since=2024-02-02T23%3A00%3A00Z", token,
                        gives: .json(#"{"data":[{"id":3,"updated_at":"2024-02-05T00:00:00Z"}],"next":null}"#)),
                    .get("\(zoo)/animals/rand", token, gives: .json(#"{"id":3,"name":"Lynx"}"#)),
                    .get("\(zoo)/photos/11.jpg", ["If-None-Match": "\"fish\""], gives: .response(status: 304)),
                    .get("files.example/21.png", ["If-None-Match": "\"seeds\""], gives: .response(status: 304)),
                ] + feedings,
                stored: [
                    "animals": ["1|2024-02-01T00:00:00Z", "2|2024-02-02T00:00:00Z", "3|2024-02-05T00:00:00Z"],
                    "random_animal": ["2|Kea", "3|Lynx"], children: ["11|1", "12|1", "21|2"], attachments: files,
                ]))
    }()
}
