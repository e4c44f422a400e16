/// What either end puts up with.
package struct ControlLimits: Sendable {
    /// In bytes, without the line break.
    package var longestLine = 64 << 10
    /// As many again are told that there are too many; those beyond them are hung up on.
    package var maximumClients = 32
    /// How long a request may be on its way.
    package var request = Duration.seconds(10)
    /// How long the first reply to it may be: longer than a request, which may be refused for that.
    package var firstReply = Duration.seconds(15)
    /// How long a client may leave a reply unread.
    package var write = Duration.seconds(20)
    /// How long replies may be on their way when the service stops.
    package var farewell = Duration.seconds(1)
    /// The first wait of a client before it asks a busy service again; each wait is twice the one before.
    package var firstWait = Duration.milliseconds(50)
    package var longestWait = Duration.seconds(2)
    /// The time after which a client that does not wait for a run no longer asks a busy service.
    package var patience = Duration.seconds(30)
    /// How long after a failure the socket is made again.
    package var retry = Duration.seconds(30)

    package init() {}
}
