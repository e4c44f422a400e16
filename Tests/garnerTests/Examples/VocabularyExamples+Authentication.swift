import TestSupport

extension VocabularyExamples {
    // The texts behind "Basic" are garner:s3cret-PASSWORD and garner:s3cret-SECRET.
    static let authentication: [VocabularyExample] = [
        .init(
            "auth: { type: none }", inSource: #"auth: { type: bearer, token: "${TOKEN}" }"#,
            [.get("zoo.example/animals", ["Authorization": nil], gives: animals)], stores: ["1"]),
        .init(
            #"auth: { type: bearer, token: "${TOKEN}" }"#,
            [.get("zoo.example/animals", ["Authorization": "Bearer s3cret-TOKEN"], gives: animals)], stores: ["1"]),
        .init(
            "auth: { type: bearer, token: { file: token.txt } }",
            Example(
                files: ["token.txt": "s3cret-file\n"],
                .init(
                    [.get("zoo.example/animals", ["Authorization": "Bearer s3cret-file"], gives: animals)],
                    stored: ["animals": ["1"]]))),
        .init(
            #"auth: { type: api_key, name: X-Key, in: header, value: "${KEY}" }"#,
            [.get("zoo.example/animals", ["X-Key": "s3cret-KEY", "Authorization": nil], gives: animals)],
            stores: ["1"]),
        .init(
            #"auth: { type: api_key, name: key, in: query, value: "${KEY}" }"#,
            [.get("zoo.example/animals?key=s3cret-KEY", ["Authorization": nil], gives: animals)], stores: ["1"]),
        .init(
            #"auth: { type: http_basic, username: "${KEY}", password: "" }"#,
            [.get("zoo.example/animals", ["Authorization": "Basic czNjcmV0LUtFWTo="], gives: animals)], stores: ["1"]),
        .init(
            #"auth: { type: http_basic, username: "", password: "${KEY}" }"#,
            [.get("zoo.example/animals", ["Authorization": "Basic OnMzY3JldC1LRVk="], gives: animals)], stores: ["1"]),
        .init(
            #"auth: { type: http_basic, username: garner, password: "${PASSWORD}" }"#,
            [
                .get(
                    "zoo.example/animals", ["Authorization": "Basic Z2FybmVyOnMzY3JldC1QQVNTV09SRA=="], gives: animals)
            ], stores: ["1"]),
        .init(
            #"""
            auth:
              type: oauth2
              grant_type: client_credentials
              token_url: https://login.zoo.example/token
              client_id: garner
              client_secret: "${SECRET}"
              scopes: read
              auth_style: body
            """#,
            [
                .post(
                    "login.zoo.example/token", ["Authorization": nil],
                    body: "grant_type=client_credentials&scope=read&client_id=garner&client_secret=s3cret-SECRET",
                    gives: .json(#"{"access_token":"s3cret-access","token_type":"bearer"}"#)),
                .get("zoo.example/animals", ["Authorization": "Bearer s3cret-access"], gives: animals),
            ], stores: ["1"]),
        .init(
            #"""
            auth:
              type: oauth2
              grant_type: refresh_token
              token_url: https://login.zoo.example/token
              client_id: garner
              client_secret: "${SECRET}"
              refresh_token: "${REFRESH}"
              auth_style: header
            """#, Example(refreshing("s3cret-REFRESH", into: "s3cret-2"), refreshing("s3cret-2", into: "s3cret-3"))),
        .init(
            #"""
            auth:
              type: oauth2
              grant_type: client_credentials
              token_url: https://login.zoo.example/token
              client_id: garner
              client_secret: "${SECRET}"
              params: { audience: zoo-api, resource: "${RESOURCE}" }
              token_path: $.data.jwt
              expires_path: $.data.ttl
              auth_style: body
            """#,
            [
                .post(
                    "login.zoo.example/token",
                    body: "grant_type=client_credentials&client_id=garner&client_secret=s3cret-SECRET"
                        + "&audience=zoo-api&resource=s3cret-RESOURCE",
                    gives: .json(#"{"data":{"jwt":"s3cret-jwt","ttl":60}}"#)),
                .get("zoo.example/animals", ["Authorization": "Bearer s3cret-jwt"], gives: animals),
            ], stores: ["1"]),
        .init(
            #"""
            auth:
              type: session_token
              request: { path: /login, json: { user: garner, password: "${PASSWORD}" } }
              take: { token: $.access_token }
              send: { header: X-Session, value: "Session {token}" }
              expires: 20m
            """#,
            [
                .post(
                    "zoo.example/login", ["Authorization": nil],
                    body: #"{"user":"garner","password":"s3cret-PASSWORD"}"#,
                    gives: .json(#"{"access_token":"s3cret-session"}"#)),
                .get(
                    "zoo.example/animals", ["X-Session": "Session s3cret-session", "Authorization": nil],
                    gives: animals),
            ], stores: ["1"]),
        .init(
            #"""
            auth:
              type: session_token
              request: { path: /login, form: { user: garner, password: "${PASSWORD}" }, headers: { X-App: zoo } }
              take: cookies
            """#,
            [
                .post(
                    "zoo.example/login", ["X-App": "zoo"], body: "user=garner&password=s3cret-PASSWORD",
                    gives: .json("{}", headers: [("Set-Cookie", "sid=s3cret-cookie; HttpOnly")])),
                .get("zoo.example/animals", ["Cookie": "sid=s3cret-cookie"], gives: animals),
            ], stores: ["1"]),
        .init(
            #"""
            auth:
              type: session_token
              request:
                url: "https://login.zoo.example/in/${LOGIN_TOKEN}"
                method: PUT
                params: { app: zoo, key: "${KEY}" }
                auth: { type: api_key, name: X-Login, value: "${LOGIN_KEY}" }
                json: {}
              take: { token: $.token }
              send: { in: query, name: sid, value: "s-{token}" }
            """#,
            [
                .put(
                    "login.zoo.example/in/s3cret-LOGIN_TOKEN?app=zoo&key=s3cret-KEY",
                    ["X-Login": "s3cret-LOGIN_KEY"], body: "{}", gives: .json(#"{"token":"s3cret-session"}"#)),
                .get("zoo.example/animals?sid=s-s3cret-session", ["Authorization": nil], gives: animals),
            ], stores: ["1"]),
        .init(
            #"""
            auth:
              type: session_token
              request: { path: /login, auth: { type: bearer, token: "${KEY}" } }
              take: { token: $.token }
            """#,
            [
                .post(
                    "zoo.example/login", ["Authorization": "Bearer s3cret-KEY"], body: "",
                    gives: .json(#"{"token":"s3cret-session"}"#)),
                .get("zoo.example/animals", ["Authorization": "Bearer s3cret-session"], gives: animals),
            ], stores: ["1"]),
        .init(
            "auth: { type: command, run: [sh, -c, 'echo s3cret-program'], output: token, expires: 50m, timeout: 30s }",
            [.get("zoo.example/animals", ["Authorization": "Bearer s3cret-program"], gives: animals)], stores: ["1"]),
        .init(
            "auth: { type: command, run: [sh, -c, 'cat token.json'], output: json }",
            Example(
                files: ["token.json": #"{"headers":{"X-Sign":"s3cret-sign"},"expires_in":60}"#],
                .init(
                    [.get("zoo.example/animals", ["X-Sign": "s3cret-sign", "Authorization": nil], gives: animals)],
                    stored: ["animals": ["1"]]))),
    ]

    private static func refreshing(_ token: String, into next: String) -> Example.Round {
        .init(
            [
                .post(
                    "login.zoo.example/token", ["Authorization": "Basic Z2FybmVyOnMzY3JldC1TRUNSRVQ="],
                    body: "grant_type=refresh_token&refresh_token=\(token)",
                    gives: .json(
                        #"{"access_token":"s3cret-a\#(next)","token_type":"Bearer","refresh_token":"\#(next)"}"#)),
                .get("zoo.example/animals", ["Authorization": "Bearer s3cret-a\(next)"], gives: animals),
            ], stored: ["animals": ["1"]])
    }
}
