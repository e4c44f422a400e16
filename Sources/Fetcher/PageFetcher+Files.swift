package import GarnerCatalog
import GarnerTasks

extension PageFetcher {
    /// Fetches and checks the file that a record refers to, by the same rules as a page.
    ///
    /// Returns a whole file or throws `FetchError`, `CancellationError` or an error of the token storage.
    ///
    /// - Parameters:
    ///   - reference: an absolute URL, or one relative to the base URL.
    ///   - validator: the validator of the stored file. With it, the server may answer that the file is unchanged.
    package func file(
        at reference: String, mediaTypes: [String], remembered validator: String? = nil
    ) async throws -> FetchedFile {
        guard let address = fileAddress(reference) else { throw requests.report.error(.invalidFileURL(reference)) }
        let trace = requests.trace(of: "\(address)")
        let stopwatch = Stopwatch(timing.clock)
        do {
            let reply = try await chain.send(fileRequest(address, mediaTypes, validator, trace))
            trace.note { $0.duration = stopwatch.elapsed }
            return try file(in: reply, from: address, remembered: validator, trace.entry)
        } catch let kind as FetchError.Kind {
            trace.note { $0.duration = stopwatch.elapsed }
            throw requests.report.error(kind, at: "\(address)", request: trace.entry)
        }
    }

    /// Returns the origin that a record's URL leads to; nil if it is not a usable URL.
    package func fileOrigin(of reference: String) -> Origin? { fileAddress(reference)?.origin }

    /// Returns the absolute address; nil if the text is no `http` or `https` URL, or if a secret stays in it.
    private func fileAddress(_ reference: String) -> WebAddress? {
        // A list or an object in JSON is not a relative URL.
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
        // Header fields configured for one server are not sent to another.
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
            // A validator from another address cannot be sent to this one.
            let known = reply.address == address ? Validator(reply.head.headers, now: timing.now())?.text : nil
            return FetchedFile(
                content: .file(mediaType: mediaType, bytes),
                validator: known.flatMap { requests.report.redaction.mentionsSecret($0) ? nil : $0 }, request: request)
        case .notModified, .repeated:
            return FetchedFile(content: .unchanged, validator: validator, request: request)
        case .ignored, .ended, .nothingNew: return FetchedFile(content: .nothing, validator: nil, request: request)
        case .document: throw .fileType(reply.head.headers["Content-Type"], expected: [])
        }
    }
}

/// The result of fetching a file that a record refers to.
package struct FetchedFile: Sendable {
    package enum Content: Sendable, Equatable {
        /// The complete file; its media type is one of those requested.
        case file(mediaType: String, [UInt8])
        /// The server said that the stored file is unchanged.
        case unchanged
        /// The stream's `response_actions` ignore the response.
        case nothing
    }

    package let content: Content
    /// The validator of this state of the file; nil if the server gave none that can be sent back.
    package let validator: String?
    package let request: RequestEntry
}
