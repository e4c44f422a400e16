/// Sees one fetch as it happens.
///
/// It is told one thing at a time and in this order: redirects and challenges, the head, the chunks, the end. Of several
/// attempts only the one whose head it saw is told; that one is not repeated. Nothing more is read before it returns.
///
/// What it has seen was checked as far as it came: the status before the head, limits before each chunk. That the body is
/// complete is known only when `didComplete` says so, and its media type and contents are the delegate's to judge.
public protocol FetchDelegate: Sendable {
    /// The head of a response with a body that was asked for: redirects, refusals and failures never come here.
    ///
    /// - Parameter url: where it came from, behind all redirects; without secrets.
    func didReceive(_ head: ResponseHead, from url: String) async -> FetchDisposition

    /// The next piece of the body, decompressed.
    func didReceive(_ chunk: BodyChunk) async

    /// Whether a redirect is followed that the rules allow; URLs are without secrets.
    func willRedirect(from url: String, to target: String) async -> Bool

    /// Asked once in a fetch, when the origin of the base URL answers 401. Never asked where the stream uses OAuth 2,
    /// whose tokens are the answer, nor for another origin behind a redirect. nil: the 401 is the error.
    func didReceive(_ challenge: AuthenticationChallenge) async -> Credentials?

    /// The last call, and the only one of its kind. The error is a `FetchError`, a `CancellationError`, or what a keeper of
    /// tokens throws; with one, the chunks so far are part of a body that nobody checked to its end.
    func didComplete(_ error: (any Error)?) async
}

extension FetchDelegate {
    public func didReceive(_ head: ResponseHead, from url: String) async -> FetchDisposition { .allow }

    public func didReceive(_ chunk: BodyChunk) async {}

    public func willRedirect(from url: String, to target: String) async -> Bool { true }

    public func didReceive(_ challenge: AuthenticationChallenge) async -> Credentials? { nil }

    public func didComplete(_ error: (any Error)?) async {}
}

/// What becomes of a response whose head was seen.
public enum FetchDisposition: Sendable {
    case allow
    /// The connection is closed, and the fetch ends with a `CancellationError`.
    case cancel
}
