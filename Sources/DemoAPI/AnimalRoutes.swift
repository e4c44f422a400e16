import Hummingbird

/// The API's paths and what each answers.
struct AnimalRoutes: Sendable {
    static let mostAtRandom = 10

    let zoo: Zoo

    func router() -> Router<LoopbackContext> {
        let router = Router(context: LoopbackContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: Doorkeeper(zoo: zoo))
        router.get("/") { _, context in index(baseURL: context.baseURL) }
        router.get("/animals") { request, context in try page(request, baseURL: context.baseURL) }
        router.get("/animals/rand") { _, context in try oneAtRandom(baseURL: context.baseURL) }
        router.get("/animals/rand/{count}") { _, context in
            try severalAtRandom(context.parameters.get("count"), baseURL: context.baseURL)
        }
        router.get("/animals/{id}") { _, context in
            Answer(try animal(context.parameters.get("id")).json(baseURL: context.baseURL))
        }
        router.get("/images/{id}") { _, context in
            Answer(try animal(context.parameters.get("id")).picture, mediaType: Answer.svgType)
        }
        return router
    }

    private func index(baseURL: String) -> Answer {
        let routes: KeyValuePairs = [
            "animals?page=1&per_page=\(AnimalPage.defaultSize)": "all animals, page by page",
            "animals/{id}": "one animal",
            "animals/rand": "an animal at random",
            "animals/rand/{count}": "several animals at random, \(Self.mostAtRandom) at most",
            "images/{id}": "the picture of an animal",
        ]
        return Answer(
            .object([
                ("name", .string("Animals")),
                ("edition", .string(zoo.edition.rawValue)),
                ("routes", .object(routes.map { (baseURL + $0.key, .string($0.value)) })),
            ]))
    }

    private func page(_ request: Request, baseURL: String) throws -> Answer {
        let query = request.uri.queryParameters
        let page = try AnimalPage(of: zoo.animals, page: query["page"], perPage: query["per_page"])
        return Answer(page.json(baseURL: baseURL)).linked(toNext: page.nextURL(baseURL: baseURL))
    }

    private func oneAtRandom(baseURL: String) throws -> Answer {
        guard let animal = zoo.randomAnimals(1).first else { throw Refusal.missing("there are no animals") }
        return Answer(animal.json(baseURL: baseURL))
    }

    private func severalAtRandom(_ count: String?, baseURL: String) throws -> Answer {
        guard let number = Int(digits: count ?? ""), (1...Self.mostAtRandom).contains(number) else {
            throw Refusal.malformed("the count must be a whole number from 1 to \(Self.mostAtRandom)")
        }
        return Answer(.array(zoo.randomAnimals(number).map { $0.json(baseURL: baseURL) }))
    }

    private func animal(_ id: String?) throws -> Animal {
        guard let animal = Int(digits: id ?? "").flatMap(zoo.animal(id:)) else {
            throw Refusal.missing("there is no animal with the id '\(id ?? "")'")
        }
        return animal
    }
}
