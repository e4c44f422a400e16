import GarnerCatalog
import GarnerDigest
import GarnerJSON
import GarnerModel

extension RefusedLogin {
    /// The time until another login is made: five minutes, doubled with each further refusal, and a day at most.
    var rest: Duration {
        min(SessionLogin.rest * (1 << min(max(count - 1, 0), 9)), .seconds(24 * 3600))
    }

    var end: Timestamp { at.advanced(by: rest) }

    /// True if it was noted for this login.
    func isOf(_ login: String) -> Bool { code == Self.code(of: login, salt) }

    /// Sixteen bits: with more, a password could be found by trying many.
    fileprivate static func code(of login: String, _ salt: String) -> String {
        String(SHA256.hexAuthenticationCode(of: login.utf8, key: Array(salt.utf8)).prefix(4))
    }
}

/// The refused logins of all processes that keep their tokens beside the same database.
///
/// A program that is started every minute would otherwise try a wrong password every minute, until the account is locked.
struct RefusedLogins: Sendable {
    /// The time for which a refusal counts behind its rest.
    private static let memory = Duration.seconds(24 * 3600)

    let storage: any TokenStorage
    /// False where a person asks for the login, who may have mended something that the configuration does not show.
    let areHeeded: Bool

    /// Throws `TokenError` while a login may not be repeated, and the storage's errors.
    func admit(_ login: String, at now: Timestamp) throws {
        guard areHeeded, let rest = try rest(of: login, at: now) else { return }
        throw TokenError.loginRests(since: rest.at, until: rest.end)
    }

    /// Returns the refusal because of which a login may not be repeated; nil if there is none.
    func rest(of login: String, at now: Timestamp) throws -> RefusedLogin? {
        let refusal = try storage.refusedLogins().last { $0.isOf(login) }
        // An instant to come was noted by a clock that was wrong.
        return refusal.flatMap { $0.at <= now && now < $0.end ? $0 : nil }
    }

    /// Notes that a server has refused a login. What cannot be stored is not: the error of the login says more.
    func note(_ login: String, at now: Timestamp) {
        try? storage.changeRefusedLogins { refusals in
            let earlier = refusals.last { $0.isOf(login) }
            refusals.removeAll { $0.isOf(login) || $0.end.advanced(by: Self.memory) < now }
            let salt = earlier?.salt ?? String(UInt64.random(in: .min ... .max), radix: 16)
            let isRecent = earlier.map { $0.end.advanced(by: Self.memory) >= now } ?? false
            refusals.append(
                RefusedLogin(
                    salt: salt, code: RefusedLogin.code(of: login, salt), at: now,
                    count: (isRecent ? earlier?.count ?? 0 : 0) + 1))
        }
    }

    /// Notes that a server has accepted a login.
    func forget(_ login: String) throws {
        guard try storage.refusedLogins().contains(where: { $0.isOf(login) }) else { return }
        try storage.changeRefusedLogins { $0.removeAll { $0.isOf(login) } }
    }
}

extension SessionLogin {
    /// All that a server judges, secrets included, and what is taken from its answer.
    var identity: String {
        var request = session.request(to: address, at: Timestamp(millisecondsSince1970: 0))
        request.urlSecrets = urlSecrets
        var parts = [request.revealedURL(), "\(session.take)"]
        let headers = session.login.headers + session.login.authentication.headers
        parts += headers.flatMap { [$0.name, $0.value.reveal()] }
        parts.append(request.body?.revealed() ?? "")
        return parts.map(JSONText.quoted).joined(separator: ",")
    }
}
