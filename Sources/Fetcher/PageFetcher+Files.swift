package import Catalog

extension PageFetcher {
    /// The checked file at the URL that a record holds; it comes in by the rules of a page, whole or not at all.
    ///
    /// Throws `FetchError`, `CancellationError` and what the keeper of tokens throws.
    ///
    /// - Parameters:
    ///   - reference: a URL, or one relative to the base URL.
    ///   - mediaTypes: what the file may be, as in `image/*`.
    ///   - validator: what came with the stored file; with it the server may answer that the file is unchanged.
    package func file(
        at reference: String, mediaTypes: [String], remembered validator: String? = nil
    ) async throws -> FetchedFile {
        guard let address = fileAddress(reference) else { throw requests.report.error(.invalidFileURL(reference)) }
        let trace = requests.trace(of: "\(address)")
        let stopwatch = Stopwatch(timing.clock)
        do {
            let reply = try await pipeline.send(fileRequest(address, mediaTypes, validator, trace))
            trace.note { $0.duration = stopwatch.elapsed }
            return try file(in: reply, from: address, remembered: validator, trace.entry)
        } catch let kind as FetchError.Kind {
            trace.note { $0.duration = stopwatch.elapsed }
            throw requests.report.error(kind, at: "\(address)", request: trace.entry)
        }
    }

    /// The server that a record's URL leads to; nil where it leads nowhere.
    package func fileOrigin(of reference: String) -> Origin? { fileAddress(reference)?.origin }

    /// nil where the text is no URL of `http` or `https`, or has a secret in it that cannot be taken out.
    private func fileAddress(_ reference: String) -> WebAddress? {
        // The JSON of a list or an object, which is no relative URL.
        guard let first = reference.first, first != "[", first != "{", var base = WebAddress(requests.template.baseURL)
        else {
            return nil
        }
        if !base.path.hasSuffix("/") { base.path += "/" }
        return base.resolving(reference).flatMap(requests.boundary.withoutSecrets)
    }

    private func fileRequest(
        _ address: WebAddress, _ mediaTypes: [String], _ validator: String?, _ trace: RequestTrace
    ) -> Request {
        // What a configuration sends to one server is nobody else's business.
        let configured = requests.boundary.isInside(address) ? requests.template.openHeaders : []
        let accept = RequestTemplate.Parameter(name: "Accept", value: .literal(mediaTypes.joined(separator: ", ")))
        var request = Request(
            address: address, headers: configured.filter { $0.name.lowercased() != "accept" } + [accept],
            validator: validator.flatMap(Validator.init(text:)), trace: trace)
        request.fileTypes = mediaTypes
        return request
    }

    private func file(
        in reply: Reply, from address: WebAddress, remembered validator: String?, _ request: RequestEntry
    ) throws(FetchError.Kind) -> FetchedFile {
        switch reply.content {
        case .file(let mediaType, let bytes):
            // What came from elsewhere cannot be asked about here.
            let known = reply.address == address ? Validator(reply.head.headers, now: timing.now())?.text : nil
            return FetchedFile(
                content: .file(mediaType: mediaType, bytes),
                validator: known.flatMap { requests.report.redaction.mentionsSecret($0) ? nil : $0 }, request: request)
        case .notModified, .repeated:
            return FetchedFile(content: .unchanged, validator: validator, request: request)
        case .ignored: return FetchedFile(content: .nothing, validator: nil, request: request)
        case .document: throw .fileType(reply.head.headers["Content-Type"], expected: [])
        }
    }
}
