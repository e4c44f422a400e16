/// When a stream is synchronised, as configured.
package struct Schedule: Sendable, Equatable {
    package var every: Duration
    /// The largest delay added to a nominal instant.
    package var jitter: Duration

    package init(every: Duration, jitter: Duration = .zero) {
        self.every = every
        self.jitter = jitter
    }
}
