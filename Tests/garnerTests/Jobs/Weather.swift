import TestSupport

/// Open-Meteo's forecast, in parallel arrays, whose window moves on a day.
enum Weather {
    static let jobs = [
        Job(
            name: "hours of a forecast",
            commands: [
                [
                    "init",
                    "API/v1/forecast?latitude=52.52&longitude=13.41&hourly=temperature_2m&daily=temperature_2m_max",
                ]
            ],
            doubts: ["record_selector: arrays of 168 values each, one for each field; $.daily has such arrays, too"],
            lines: [
                "        record_selector: $.hourly\n        record_shape: { type: columns }\n", "primary_key: time\n",
                "paginator: { type: single_page }\n",
            ], table: "forecast", rows: (168, 192), requests: 1, answer: forecast)
    ]

    private static func forecast(_ request: LoopbackRequest, isChanged: Bool) -> LoopbackReply {
        let days = (isChanged ? 1 : 0)..<(isChanged ? 8 : 7)
        let day = { (number: Int) in "2026-11-\(10 + number)" }
        let hours = days.flatMap { number in (0..<24).map { "\"\(day(number))T\($0 < 10 ? "0" : "")\($0):00\"" } }
        let degrees = { (count: Int) in (0..<count).map { "\($0 * 7 % 20).5" }.array }
        return .json(
            #"{"latitude":52.5,"generationtime_ms":0.1,"hourly_units":{"time":"iso8601","temperature_2m":"°C"},"#
                + #""daily":{"time":\#(days.map { "\"\(day($0))\"" }.array),"temperature_2m_max":\#(degrees(7))},"#
                + #""hourly":{"time":\#(hours.array),"temperature_2m":\#(degrees(168))}}"#)
    }
}
