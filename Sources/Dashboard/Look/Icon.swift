/// The icons. Each has an outline of its own, so that it reads without its colour.
enum Icon: String {
    case failing, late, partial, running, inStep, paused, never, skipped, added, updated, deleted

    var html: HTML {
        "<svg class=\"icon\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">\(shape)</svg>"
    }

    private var shape: HTML {
        switch self {
        case .failing:
            "<path d=\"M5 1h6l4 4v6l-4 4H5l-4-4V5z\" fill=\"currentColor\"/><path class=\"cut\" d=\"m5.5 5.5 5 5m0-5-5 5\"/>"
        case .late: "<circle cx=\"8\" cy=\"8\" r=\"6.5\"/><path d=\"M8 4.2V8l2.7 1.7\"/>"
        case .partial:
            "<circle cx=\"8\" cy=\"8\" r=\"6.5\"/><path d=\"M8 1.5a6.5 6.5 0 0 0 0 13z\" fill=\"currentColor\"/>"
        case .running:
            "<path class=\"spin\" d=\"M8 1.5A6.5 6.5 0 1 1 1.5 8\"/><circle cx=\"8\" cy=\"8\" r=\"1.8\" fill=\"currentColor\"/>"
        case .inStep: "<circle cx=\"8\" cy=\"8\" r=\"6.5\"/><path d=\"m5 8.3 2.2 2.2L11.2 6\"/>"
        case .paused: "<path d=\"M5 3v10M11 3v10\" class=\"bars\"/>"
        case .never: "<circle cx=\"8\" cy=\"8\" r=\"6.5\" class=\"dashed\"/>"
        case .skipped: "<path d=\"M2.5 2.5h11v11h-11z\" class=\"dashed\"/>"
        case .added: "<path d=\"M8 3v10M3 8h10\"/>"
        case .updated: "<path d=\"M2.5 9.5c2-4 4-3 5.500-1.500s3.500 2.500 5.500-1.500\"/>"
        case .deleted: "<path d=\"M3 8h10\"/>"
        }
    }
}
