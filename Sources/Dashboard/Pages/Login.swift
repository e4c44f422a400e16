extension Dashboard {
    /// The form in which a person shows the token, and what it leads to.
    func login(_ request: WebRequest) throws -> WebResponse {
        guard request.method == .post else { return loginPage(next: Link(), status: 200) }
        let given = request.form.first { $0.name == "token" }?.value ?? ""
        let path = request.form.first { $0.name == "next" }?.value ?? "/"
        guard let token = access.token else { return .redirect(to: Link()) }
        guard access.accepts(given) else { return loginPage(next: Link(), status: 401, isWrong: true) }
        // Only the path and the query of a page of our own are taken from the form.
        let next = WebRequest(target: path).link
        let cookie = "\(Access.cookie)=\(access.sessionValue(of: token)); Path=/; HttpOnly; SameSite=Strict"
        return .redirect(to: next).adding("Set-Cookie", cookie)
    }

    func loginPage(next: Link, status: Int, isWrong: Bool = false) -> WebResponse {
        response(
            Page(
                title: "Log in",
                content: """
                    <h1>Log in</h1>
                    \(isWrong ? "<div class=\"panel fail\" role=\"alert\"><p>That is another token.</p></div>" as HTML : "")
                    <p>This dashboard shows its pages to those who have the token of <code>--auth-token-file</code>.</p>
                    <form method="post" action="/login" class="bar"><label for="token">Token</label>
                    <input id="token" name="token" type="password" autocomplete="current-password" required>
                    <input type="hidden" name="next" value="\(next)"><button class="main">Log in</button></form>
                    """, status: status))
    }
}
