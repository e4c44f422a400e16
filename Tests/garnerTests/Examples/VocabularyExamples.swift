import TestSupport

/// Each value of the keys that decide what is asked for and stored.
enum VocabularyExamples {
    static let all = [
        authentication, requests, responses, shapes, pages, records, contract, times, schedules,
    ].flatMap { $0 }

    static let animals = LoopbackReply.json(#"[{"id":1}]"#)
}
