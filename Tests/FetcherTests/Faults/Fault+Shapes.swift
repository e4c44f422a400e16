import GarnerCatalog
import GarnerJSON
import TestSupport

extension Fault {
    /// The records do not have the form that `record_shape` says, or are not where the stream looks for them.
    static let shapes: [Fault] = columns + entries + rows + selected

    private static let columns: [Fault] = [
        shaped(
            "sends columns", .page, .columns, #"{"id":[1,2],"t":[0.50,null]}"#,
            [#"{"id":1,"t":0.50}"#, #"{"id":2,"t":null}"#]),
        shaped("sends columns of unequal lengths", .error("record_shape"), .columns, #"{"id":[1,2,3],"t":[1,2]}"#),
        shaped("sends a column that is no array", .error("record_shape"), .columns, #"{"id":[1,2],"t":"none"}"#),
        shaped("sends null for a column", .error("record_shape"), .columns, #"{"id":[1,2],"t":null}"#),
        shaped("sends no columns", .error("record_shape"), .columns, "{}"),
        shaped("sends columns without values", .end, .columns, #"{"id":[],"t":[]}"#, []),
        shaped("sends a list instead of columns", .error("record_shape"), .columns, #"[{"id":1}]"#),
        shaped("sends null instead of columns, as the whole body", .error("scalar"), .columns, nil, whole: "null"),
        shaped(
            "says that it refuses instead of columns", .error("refusal"), .columns, nil, whole: #"{"error":"busy"}"#),
    ]

    private static let prices = RecordShape.entries(keyField: "type", valueField: "value")

    private static let entries: [Fault] = [
        shaped(
            "sends entries of other kinds in the midst", .page, prices,
            #"{"child":4.50,"adult":{"from":16},"dog":null,"group":[1]}"#,
            [
                #"{"type":"child","value":4.50}"#, #"{"from":16,"type":"adult"}"#, #"{"type":"dog","value":null}"#,
                #"{"type":"group","value":[1]}"#,
            ]),
        shaped(
            "sends an entry with a field that is key_field", .error("record_shape"), prices, #"{"child":{"type":7}}"#),
        shaped("sends a list instead of entries", .error("record_shape"), prices, #"[4.5]"#),
        shaped("sends a number instead of entries", .error("record_shape"), prices, "7"),
        shaped("sends no entries", .end, prices, "{}", []),
        shaped("sends entries with an empty name", .page, prices, #"{"":1}"#, [#"{"type":"","value":1}"#]),
    ]

    private static let listed = RecordShape.rows(.list(["id", "name"]))
    private static let named = RecordShape.rows(.first)

    private static let rows: [Fault] = [
        shaped("sends rows with more values than names", .error("record_shape"), listed, #"[[1,"Otter"],[2,"Kea",3]]"#),
        shaped("sends rows with fewer values than names", .error("record_shape"), listed, #"[[1,"Otter"],[2]]"#),
        shaped("sends an object among rows", .error("record_shape"), listed, #"[[1,"Otter"],{"id":2}]"#),
        shaped("sends null among rows", .error("record_shape"), listed, #"[[1,"Otter"],null]"#),
        shaped("sends an object instead of rows", .error("record_shape"), listed, #"{"rows":[]}"#),
        shaped("sends no rows", .end, listed, "[]", []),
        shaped("sends a first row that is no array", .error("record_shape"), named, #"[{"id":1},[1,"Otter"]]"#),
        shaped("sends a first row without names", .error("record_shape"), named, #"[[1,"Otter"],[2,"Kea"]]"#),
        shaped("sends a first row with a name twice", .error("record_shape"), named, #"[["id","id"],[1,2]]"#),
        shaped("sends names without rows", .end, named, #"[["id","name"]]"#, []),
        shaped("sends rows, and no names where they should be", .error("record_shape"), namesAt("$.columns"), "[[1]]"),
        shaped(
            "sends rows, and a text where their names should be", .error("record_shape"), namesAt("$.next"), "[[1]]"),
    ]

    private static let selected: [Fault] = [
        at("$.items[*]", "sends nothing where record_selector looks", .error("missing_path"), "[]"),
        at("$..price", "sends nothing that record_selector finds anywhere", .error("missing_path"), #"[{"id":1}]"#),
        at("$.data[5:]", "sends fewer records than record_selector leaves out", .end, #"[{"id":1}]"#, []),
        at("$.data", "sends null instead of the list of records", .end, "null", []),
        at("$.data[*]", "sends null where record_selector looks for records", .end, "null", []),
        at("$.data", "sends a number instead of the list of records", .error("no_array"), "7"),
        at("$.data", "sends a text instead of the list of records", .error("no_array"), #""Service unavailable""#),
        at("$.data", "sends false instead of the list of records", .error("no_array"), "false"),
        at("$.data[*]", "sends an object instead of the list of records", .page, #"{"a":{"id":1}}"#, [#"{"id":1}"#]),
        at(
            "$.data[*]", "sends records of other kinds in the midst", .page, #"[{"id":1},2,null,"x"]"#,
            [#"{"id":1}"#, "2", "null", #""x""#]),
        at("$.data[*]", "sends records that take too many steps of record_filter", .error("record_filter"), deep)
            .with { fault in
                let change = fault.change
                fault.change = {
                    change(&$0)
                    $0.recordFilter = try? FilterExpression(parsing: "$..[?@..x]")
                }
            },
        at("$.data[*]", "sends no record that record_filter lets pass", .page, #"[{"id":1},{"id":2}]"#, [])
            .with { fault in
                let change = fault.change
                fault.change = {
                    change(&$0)
                    $0.recordFilter = try? FilterExpression(parsing: "@.id > 7")
                }
            },
    ]

    /// Lists in lists, for which a query in a query takes the square of their depth.
    private static let deep: String = {
        let nested = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        return "[\(Array(repeating: nested, count: 60).joined(separator: ","))]"
    }()

    private static func namesAt(_ path: String) -> RecordShape {
        (try? Selector(parsing: path)).map { .rows(.path($0)) } ?? .objects
    }

    /// - Parameters:
    ///   - data: the value that holds the records, as JSON.
    ///   - whole: the whole body instead, in which the stream looks for no other value.
    private static func shaped(
        _ name: String, _ outcome: Outcome, _ shape: RecordShape, _ data: String?, _ records: [String]? = nil,
        whole: String? = nil
    ) -> Fault {
        Fault(name, outcome, in: .all) { occasion in
            let body = whole.map { text in occasion.answer.with { $0.body = Array(text.utf8) } }
            return (body ?? occasion.answer.with(data: data ?? "null")).reply
        }.with {
            $0.records = records
            $0.change = {
                $0.recordShape = shape
                $0.recordSelector = whole == nil ? "$.data" : nil
            }
        }
    }

    private static func at(
        _ selector: String, _ name: String, _ outcome: Outcome, _ data: String, _ records: [String]? = nil
    ) -> Fault {
        Fault(name, outcome, in: .all) { $0.answer.with(data: data).reply }.with {
            $0.records = records
            $0.change = { $0.recordSelector = selector }
        }
    }
}
