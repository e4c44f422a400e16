/// A value of the file, and the level it was written on.
struct Setting<Value> {
    var value: Value
    var origin: EffectiveConfiguration.Origin
}

/// What one level of the file (the defaults, a source or a stream) says about its streams.
struct StreamSettings {
    var headers: [Setting<RequestTemplate.Parameter>] = []
    var params: [Setting<RequestTemplate.Parameter>] = []
    var authentication: Setting<Authentication>?
    var paginator: Setting<Paginator>?
    var recordSelector: Setting<String>?
    var primaryKey: Setting<[String]>?
    var writeDisposition: Setting<WriteDisposition>?
    var deleteMissing: Setting<DeleteMissing>?
    var maxDeleteRatio: Setting<Double>?
    var flattenDepth: Setting<Int>?
    var schedule: Setting<Schedule>?
    var allowsPrivateNetwork: Setting<Bool>?
    var retry = Retry()
    var limits = LimitSettings()

    struct Retry {
        var maxAttempts: Setting<Int>?
        var baseDelay: Setting<Duration>?
        var maxDelay: Setting<Duration>?
        var respectsRetryAfter: Setting<Bool>?
    }

    struct LimitSettings {
        var body: Setting<Int>?
        var head: Setting<Int>?
        var connect: Setting<Duration>?
        var firstByte: Setting<Duration>?
        var idle: Setting<Duration>?
        var total: Setting<Duration>?
    }
}
