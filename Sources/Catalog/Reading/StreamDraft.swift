/// A stream with what the levels of the file say about it, the nearest first.
struct StreamDraft {
    let name: StreamName
    let place: ConfigurationPlace
    let base: Setting<BaseURL>
    let path: Setting<String>?
    let explicitTable: Setting<String>?
    let layers: [StreamSettings]
    var table = ""

    var stream: Stream {
        Stream(
            name: name, table: table, place: place,
            request: RequestTemplate(
                baseURL: base.value.text, path: path?.value ?? "",
                params: merged(\.params) { $0 }.map(\.value),
                headers: merged(\.headers) { $0.lowercased() }.map(\.value),
                authentication: nearest(\.authentication)?.value ?? .none),
            paginator: nearest(\.paginator)?.value ?? .auto(PageLimits()),
            recordSelector: nearest(\.recordSelector)?.value,
            primaryKey: nearest(\.primaryKey)?.value,
            writeDisposition: nearest(\.writeDisposition)?.value,
            deleteMissing: nearest(\.deleteMissing)?.value ?? .ignore,
            maxDeleteRatio: nearest(\.maxDeleteRatio)?.value ?? 0.5,
            flattenDepth: nearest(\.flattenDepth)?.value ?? 1,
            schedule: nearest(\.schedule)?.value,
            retry: retry,
            limits: limits,
            allowsPrivateNetwork: nearest(\.allowsPrivateNetwork)?.value)
    }

    func nearest<Value>(_ setting: (StreamSettings) -> Setting<Value>?) -> Setting<Value>? {
        layers.lazy.compactMap(setting).first
    }

    /// Parameters by name, the nearest of each, where the outermost stood first.
    func merged(
        _ parameters: (StreamSettings) -> [Setting<RequestTemplate.Parameter>], key: (String) -> String
    ) -> [Setting<RequestTemplate.Parameter>] {
        var result: [Setting<RequestTemplate.Parameter>] = []
        var indices: [String: Int] = [:]
        for parameter in layers.reversed().flatMap(parameters) {
            if let index = indices[key(parameter.value.name)] {
                result[index] = parameter
            } else {
                indices[key(parameter.value.name)] = result.count
                result.append(parameter)
            }
        }
        return result
    }

    private var retry: RetryPolicy {
        let standard = RetryPolicy()
        return RetryPolicy(
            maxAttempts: nearest(\.retry.maxAttempts)?.value ?? standard.maxAttempts,
            baseDelay: nearest(\.retry.baseDelay)?.value ?? standard.baseDelay,
            maxDelay: nearest(\.retry.maxDelay)?.value ?? standard.maxDelay,
            respectsRetryAfter: nearest(\.retry.respectsRetryAfter)?.value ?? standard.respectsRetryAfter)
    }

    private var limits: Limits {
        let standard = Limits()
        return Limits(
            body: nearest(\.limits.body)?.value ?? standard.body,
            head: nearest(\.limits.head)?.value ?? standard.head,
            connect: nearest(\.limits.connect)?.value ?? standard.connect,
            firstByte: nearest(\.limits.firstByte)?.value ?? standard.firstByte,
            idle: nearest(\.limits.idle)?.value ?? standard.idle,
            total: nearest(\.limits.total)?.value ?? standard.total)
    }
}
