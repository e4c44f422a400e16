import Hummingbird

/// Counts every request, lets only reading pass, and gives each failure the one shape of a `Refusal`.
struct Doorkeeper: RouterMiddleware {
    let zoo: Zoo

    func handle(
        _ request: Request,
        context: LoopbackContext,
        next: @concurrent (Request, LoopbackContext) async throws -> Response
    ) async throws -> Response {
        zoo.countRequest()
        let response: Response
        do {
            guard request.method == .get || request.method == .head else {
                throw Refusal.readOnly(method: request.method.rawValue)
            }
            response = try await next(request, context)
        } catch let refusal as Refusal {
            response = refusal.response
        } catch let error as HTTPError where error.status == .notFound {
            response = Refusal.missing("there is nothing at \(request.uri.path)").response
        }
        return request.method == .head ? response.createHeadResponse() : response
    }
}
