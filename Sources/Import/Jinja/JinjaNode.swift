/// An expression of Jinja.
struct JinjaExpression {
    enum Arithmetic: String {
        case add, sub, mul, div, floordiv, mod, pow
    }

    enum Comparison: String {
        case eq, ne, lt, lteq, gt, gteq, `in`, notin
    }

    indirect enum Kind {
        case constant(JinjaValue)
        case name(String)
        /// Also a tuple.
        case list([JinjaExpression], isTuple: Bool)
        case mapping([(key: JinjaExpression, value: JinjaExpression)])
        case attribute(JinjaExpression, String)
        case item(JinjaExpression, JinjaExpression)
        case slice(JinjaExpression, start: JinjaExpression?, end: JinjaExpression?, step: JinjaExpression?)
        case call(JinjaExpression, Arguments)
        case filter(JinjaExpression, String, Arguments)
        case test(JinjaExpression, String, Arguments)
        case concatenation([JinjaExpression])
        case arithmetic(Arithmetic, JinjaExpression, JinjaExpression)
        case negative(JinjaExpression)
        case not(JinjaExpression)
        case and(JinjaExpression, JinjaExpression)
        case or(JinjaExpression, JinjaExpression)
        case conditional(JinjaExpression, then: JinjaExpression, otherwise: JinjaExpression?)
        case comparison(JinjaExpression, [(operation: Comparison, operand: JinjaExpression)])
    }

    struct Arguments {
        var values: [JinjaExpression] = []
        var named: [(name: String, value: JinjaExpression)] = []

        var all: [JinjaExpression] { values + named.map(\.value) }
    }

    /// How deep an expression may be.
    static let largestDepth = 64

    let kind: Kind
    /// The levels below it, and its own.
    let depth: Int

    init(_ kind: Kind) throws(JinjaError) {
        let children: [JinjaExpression] =
            switch kind {
            case .constant, .name: []
            case .list(let values, _), .concatenation(let values): values
            case .mapping(let members): members.flatMap { [$0.key, $0.value] }
            case .attribute(let base, _), .negative(let base), .not(let base): [base]
            case .item(let one, let other), .arithmetic(_, let one, let other), .and(let one, let other),
                .or(let one, let other):
                [one, other]
            case .slice(let base, let start, let end, let step): [base] + [start, end, step].compactMap(\.self)
            case .call(let base, let arguments), .filter(let base, _, let arguments), .test(let base, _, let arguments):
                [base] + arguments.all
            case .conditional(let test, let then, let otherwise): [test, then] + (otherwise.map { [$0] } ?? [])
            case .comparison(let first, let others): [first] + others.map(\.operand)
            }
        (self.kind, depth) = (kind, 1 + (children.map(\.depth).max() ?? 0))
        guard depth <= Self.largestDepth else { throw .limit }
    }

    /// The name at its beginning: `data` of `data.list[0]`.
    var root: String? {
        switch kind {
        case .name(let name): name
        case .attribute(let base, _), .item(let base, _): base.root
        default: nil
        }
    }
}

/// A statement of Jinja, or a text between statements.
indirect enum JinjaStatement {
    enum Target {
        case names([String])
        case attribute(of: String, String)
    }

    case data(String)
    case output(JinjaExpression)
    case set(Target, JinjaExpression)
    case setBlock(String, [JinjaStatement])
    /// `if`, `elif` and `else`, which has no test. `changes` are the names that any of them may set.
    case branches([(test: JinjaExpression?, body: [JinjaStatement])], changes: Set<String>)
    case loop(Loop)

    struct Loop {
        var names: [String]
        var values: JinjaExpression
        var condition: JinjaExpression?
        var body: [JinjaStatement]
        var otherwise: [JinjaStatement]
        var changes: Set<String>
    }
}
