import GarnerJSON
import Testing

/// What records say of a condition, and what they leave open.
struct UnsaidConditionTests {
    /// A condition, a record that meets it without saying so, what it has there, and the condition without such records.
    private static let unsaid: [(String, String, String, String?)] = [
        ("@.deleted_at != null", "{}", "@.deleted_at is missing", "@.deleted_at && @.deleted_at != null"),
        (
            "@.deleted_at != null", #"{"deleted_at":""}"#, "@.deleted_at is ''",
            "@.deleted_at && @.deleted_at != null && @.deleted_at != ''"
        ),
        (
            "null != @.deleted_at", #"{"deleted_at":"0000-00-00 00:00:00"}"#, "@.deleted_at is '0000-00-00 00:00:00'",
            "@.deleted_at && @.deleted_at != null && @.deleted_at != '0000-00-00 00:00:00'"
        ),
        ("@.deleted != null", #"{"deleted":false}"#, "@.deleted is false", "@.deleted == true"),
        ("@.active != true", "{}", "@.active is missing", "@.active == false"),
        ("@.active != true", #"{"active":null}"#, "@.active is null", "@.active == false"),
        ("@.active != true", #"{"active":"true"}"#, "@.active is a text", "@.active == false"),
        ("!(@.active == true)", "{}", "@.active is missing", "@.active == false"),
        ("!@.active", "{}", "@.active is missing", "@.active == false"),
        ("@.status != 'active'", "{}", "@.status is missing", "@.status > '' && @.status != 'active'"),
        (
            "@.status != 'active'", #"{"status":{"id":1}}"#, "@.status is an object",
            "@.status > '' && @.status != 'active'"
        ),
        ("@.n != 5", #"{"n":"5"}"#, "@.n is a text", "@.n < 5 || @.n > 5"),
        ("@.meta.removed != false", #"{"meta":null}"#, "@.meta.removed is missing", "@.meta.removed == true"),
        ("@['a b'].c != false", #"{"a b":{"c":"no"}}"#, "@['a b'].c is 'no'", "@['a b'].c == true"),
        ("@.deleted", #"{"deleted":null}"#, "@.deleted is null", "@.deleted && @.deleted != null"),
        ("@.deleted", #"{"deleted":0}"#, "@.deleted is 0", "@.deleted && @.deleted != null && @.deleted != 0"),
        (
            "@.deleted", #"{"deleted":"false"}"#, "@.deleted is 'false'",
            "@.deleted && @.deleted != null && @.deleted != 'false'"
        ),
        ("@.deleted", #"{"deleted":{}}"#, "@.deleted is an empty object", "length(@.deleted) > 0"),
        ("@.deleted != null", #"{"deleted":[]}"#, "@.deleted is an empty list", "length(@.deleted) > 0"),
        ("@.a == @.b", "{}", "@.a is missing", nil), ("@.a != @.b", #"{"a":1}"#, "@.b is missing", nil),
        ("!(@.n > 0)", #"{"n":"1"}"#, "@.n is a text", nil),
        ("!(@.n <= 7)", #"{"n":{}}"#, "@.n is an empty object", nil),
        ("length(@.name) != 3", "{}", "@.name is missing", nil),
        ("count(@.tags[*]) == 0", "{}", "@.tags is missing", nil),
        ("@.type == 'x' && @.deleted_at != null", #"{"type":"x"}"#, "@.deleted_at is missing", nil),
        ("@.deleted_at != null || @.status == 'deleted'", #"{"status":"active"}"#, "@.deleted_at is missing", nil),
        ("@.status == 'deleted' && @.restored != true", #"{"status":"deleted"}"#, "@.restored is missing", nil),
        ("!@.a && !@.b", "{}", "@.a is missing", nil),
        ("!(@.a == 1 && @.b == 2)", #"{"a":1}"#, "@.b is missing", nil),
    ]

    @Test(arguments: unsaid.indices)
    func `a record that meets a condition by what it lacks does not say so`(place: Int) throws {
        let (condition, record, finding, careful) = Self.unsaid[place]
        let filter = try FilterExpression(parsing: condition)
        let document = try Document(record)
        let (meets, found) = try document.withRoot { root in
            var evaluation = FilterEvaluation(filter, root: root)
            return (try evaluation.matches(root), try evaluation.unsaid(by: root))
        }
        #expect(meets && found?.finding == finding && found?.careful == careful, "\(String(describing: found))")
        guard let careful else { return }
        let other = try FilterExpression(parsing: careful)
        let meetsOther = try document.withRoot { try other.matches($0, root: $0) }
        #expect(!meetsOther)
    }

    /// Conditions and records that meet them and say so.
    private static let said: [(String, String)] = [
        ("@.deleted_at != null", #"{"deleted_at":"2026-01-01"}"#),
        ("@.deleted_at != null", #"{"deleted_at":1767225600}"#),
        ("@.deleted_at && @.deleted_at != null && @.deleted_at != ''", #"{"deleted_at":1767225600}"#),
        ("@.deleted && @.deleted != null && @.deleted != 0", #"{"deleted":true}"#),
        ("@.deleted", #"{"deleted":{"state":"x"}}"#), ("@.deleted", #"{"deleted":"t"}"#),
        ("@.deleted", #"{"deleted":["x"]}"#), ("length(@.deleted) > 0", #"{"deleted":{"state":"x"}}"#),
        ("@.active != true", #"{"active":false}"#),
        ("@.active == false", #"{"active":false}"#), ("@.status != 'active'", #"{"status":"deleted"}"#),
        ("@.status > '' && @.status != 'active'", #"{"status":"deleted"}"#), ("@.removed", #"{"removed":true}"#),
        ("@.removed != false", #"{"removed":true}"#), ("@.meta.removed != false", #"{"meta":{"removed":true}}"#),
        ("@.owner == null", #"{"owner":null}"#),
        ("@.deleted_at != null || @.status == 'deleted'", #"{"status":"deleted"}"#),
        ("@.status == 'deleted' && !@.restored", #"{"status":"deleted"}"#),
        ("@.status == 'deleted' && (!@.restored || @.restored != true)", #"{"status":"deleted"}"#),
        ("!(@.stock > 0)", #"{"stock":0}"#), ("@.n < 5 || @.n > 5", #"{"n":6}"#), ("count(@.*) == 1", #"{"id":5}"#),
        ("@.flags[?@ == 'deleted']", #"{"flags":["deleted"]}"#), ("!@.flags[?@ == 'live']", #"{"flags":[]}"#),
        ("@.a != @.b", #"{"a":1,"b":2}"#), ("!(@.a == 1 && @.b == 2)", #"{"a":3}"#),
    ]

    @Test(arguments: said)
    func `a record with a value that meets the condition says so`(condition: String, record: String) throws {
        let filter = try FilterExpression(parsing: condition)
        let document = try Document(record)
        let (meets, found) = try document.withRoot { root in
            var evaluation = FilterEvaluation(filter, root: root)
            return (try evaluation.matches(root), try evaluation.unsaid(by: root))
        }
        #expect(meets && found == nil, "\(String(describing: found))")
    }
}
