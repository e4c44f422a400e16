extension CurlExample {
    /// The same requests as the developer tools of three browsers copy them, for three shells.
    static let browsers: [CurlExample] = [
        // Chrome, bash
        .init(
            origin: "https://shop.example",
            command: #"""
                curl 'https://shop.example/api/orders?status=open' \
                  -H 'accept: application/json, text/plain, */*' \
                  -H 'accept-language: de-CH,de;q=0.9' \
                  -H 'authorization: Bearer eyJhbGciOiJIUzI1NiJ9.canary.c2ln' \
                  -b 'session=canary5e1f; theme=dark' \
                  -H 'priority: u=1, i' \
                  -H 'referer: https://shop.example/orders' \
                  -H 'sec-ch-ua: "Chromium";v="131", "Not_A Brand";v="24"' \
                  -H 'sec-ch-ua-mobile: ?0' \
                  -H 'sec-fetch-dest: empty' \
                  -H 'sec-fetch-mode: cors' \
                  -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0' \
                  -H 'x-csrf-token: canary77ab' \
                  --compressed
                """#, target: "/api/orders?status=open",
            headers: [
                "Accept: application/json, text/plain, */*", "Accept-Language: de-CH,de;q=0.9",
                "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.canary.c2ln", "Cookie: session=canary5e1f; theme=dark",
                "Referer: https://shop.example/orders", "X-CSRF-Token: canary77ab",
                "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0",
            ]),
        // Chrome, bash, with a quote in the body
        .init(
            origin: "https://shop.example",
            command: #"""
                curl 'https://shop.example/api/search' \
                  -H 'accept: */*' \
                  -H 'content-type: application/json' \
                  -H 'origin: https://shop.example' \
                  --data-raw $'{"text":"it\'s new\u0021","lines":"a\\nb","cafe":"caf\u00e9 \ud83d\ude00"}'
                """#, method: "POST", target: "/api/search", headers: ["Origin: https://shop.example"],
            body: #"{"text":"it's new!","lines":"a\nb","cafe":"café 😀"}"#),
        // Chrome, cmd
        .init(
            origin: "https://shop.example",
            command: #"""
                curl ^"https://shop.example/api/search?a=1^&b=50^%^25^" ^
                  -H ^"accept: */*^" ^
                  -H ^"content-type: application/json^" ^
                  -H ^"sec-ch-ua: ^\^"Chromium^\^";v=^\^"131^\^"^" ^
                  --data-raw ^"^{^\^"text^\^":^\^"it's 100^% ^\^\n^\^",^\^"n^\^":^[1,2^]^}^"
                """#, method: "POST", target: "/api/search?a=1&b=50%25", body: #"{"text":"it's 100% \n","n":[1,2]}"#),
        // Chrome, cmd, before 2021
        .init(
            origin: "https://shop.example",
            command:
                #"curl "https://shop.example/api/search?a=1&b=2" -H "Connection: keep-alive" -H "Accept: application/json" --data-binary "{""text"":""open orders"",""n"":1}" --compressed"#,
            method: "POST", target: "/api/search?a=1&b=2", headers: ["Accept: application/json"],
            body: #"{"text":"open orders","n":1}"#),
        // Firefox, POSIX
        .init(
            origin: "https://shop.example",
            command: #"""
                curl 'https://shop.example/api/login-free/list' -X POST -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' -H 'Accept: */*' -H 'Accept-Language: en-US,en;q=0.5' -H 'Accept-Encoding: gzip, deflate, br, zstd' -H 'Content-Type: application/x-www-form-urlencoded; charset=UTF-8' -H 'X-Requested-With: XMLHttpRequest' -H 'DNT: 1' -H 'Sec-GPC: 1' -H 'Connection: keep-alive' -H 'Cookie: PHPSESSID=canary5e1f' -H 'Sec-Fetch-Site: same-origin' -H 'Priority: u=0' -H 'Pragma: no-cache' -H 'Cache-Control: no-cache' --data-raw 'draw=1&columns%5B0%5D%5Bdata%5D=id&length=25'
                """#, method: "POST", target: "/api/login-free/list",
            headers: [
                "Content-Type: application/x-www-form-urlencoded; charset=UTF-8", "X-Requested-With: XMLHttpRequest",
                "Cookie: PHPSESSID=canary5e1f",
            ], body: "draw=1&columns%5B0%5D%5Bdata%5D=id&length=25"),
        // Firefox, Windows
        .init(
            origin: "https://shop.example",
            command: #"""
                curl ^"https://shop.example/api/orders?status=open^" ^
                 --compressed ^
                 -H ^"User-Agent: Mozilla/5.0 ^(Windows NT 10.0^) Firefox/133.0^" ^
                 -H ^"If-None-Match: W/^\^"abc^\^"^" ^
                 -H ^"X-Signature: canary5e1f^"
                """#, target: "/api/orders?status=open",
            headers: ["X-Signature: canary5e1f", "User-Agent: Mozilla/5.0 (Windows NT 10.0) Firefox/133.0"],
            remark: "the header 'If-None-Match' is left out"),
        // Safari
        .init(
            origin: "https://shop.example",
            command: #"""
                curl 'https://shop.example/api/items?sort=id' \
                -X 'GET' \
                -H 'Accept: application/json' \
                -H 'Sec-Fetch-Site: same-origin' \
                -H 'Cookie: sid=canary5e1f' \
                -H 'Accept-Language: en-GB,en;q=0.9' \
                -H 'User-Agent: Mozilla/5.0 (Macintosh) Version/18.1 Safari/605.1.15'
                """#, target: "/api/items?sort=id", headers: ["Cookie: sid=canary5e1f", "Accept: application/json"]),
        // A page of Chrome, not a request of a script
        .init(
            origin: "https://shop.example",
            command: #"""
                curl 'https://shop.example/api/items' \
                  -H 'accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' \
                  -H 'upgrade-insecure-requests: 1' -H 'if-modified-since: Fri, 06 Dec 2024 08:00:00 GMT'
                """#, target: "/api/items", remark: "the header 'if-modified-since' is left out"),
        // curl.exe in PowerShell
        .init(
            origin: "https://shop.example",
            command: #"""
                PS C:\Users\me> curl.exe -X POST "https://shop.example/api/search" `
                  -H "Content-Type: application/json" `
                  -H "X-Api-Key: $env:OKTA_TOKEN" `
                  -d '{\"text\":\"it''s\",\"n\":1}'
                """#, method: "POST", target: "/api/search", headers: ["X-Api-Key: canary-okta"],
            body: #"{"text":"it's","n":1}"#),
    ]
}
