import Testing

@testable import Support

@Suite struct AddressSecretsTests {
    @Test(arguments: [
        "token", "access_token", "accessToken", "id-token", "X-Amz-Signature", "x-amz-date", "X-Goog-Expires",
        "client_secret",
        "password", "passwd", "pwd", "user_pwd", "pass", "login-pass", "account[pass]", "credential", "auth", "oauth2",
        "Authorization", "bearer", "sig", "sign", "signature", "signed", "key", "api_key", "x-key", "mapikey", "APIKey",
        "Key-Pair-Id", "Policy", "AWSAccessKeyId", "OSSAccessKeyId", "GoogleAccessId", "jwt", "hmac", "hmac_sha256",
        "sid",
        "session", "sessionId", "PHPSESSID", "JSESSIONID", "hdnts", "hdnea", "hdntl", "__token__", "otp", "pin", "PIN",
        "ticket", "nonce", "code", "verify", "verify_token", "csrf", "sv", "se", "sp", "st", "e", "expires", "md5",
        "tempauth",
        "%74oken", "to%6Ben",
    ])
    func secretParametersAreRecognisedByName(_ name: String) {
        #expect(AddressSecrets.isSecret(name: name))
        #expect(AddressSecrets.values(in: "https://h/p?w=1&\(name)=v;w&h=2") == ["v;w"])
    }

    @Test(arguments: [
        "", "date", "w", "h", "width", "size", "q", "keyword", "monkey", "passage", "compass", "design", "assign",
        "designer",
        "page", "author", "authors", "spin", "pinned", "resign", "country_code", "side", "essay", "sever", "format",
        "seed",
        "state", "unix", "step", "s",
    ])
    func otherParametersAreNotSecret(_ name: String) {
        #expect(!AddressSecrets.isSecret(name: name))
        #expect(!AddressSecrets.areIn("https://h/\(name)/p?\(name)=1500"))
    }

    @Test(arguments: [
        ("https://h/p?token=", []), ("https://h/token/p", []), ("token=a", []), ("https://h/?a=1;sid=b;c&d=2", ["b;c"]),
        ("https://h/hdnts=exp=1~acl=/*~hmac=2/p", ["exp=1~acl=", "2"]), ("https://h/p;jsessionid=3/q?w=1", ["3"]),
        ("https://h/i?url=https%3A%2F%2Fx%2Fa.jpg%3Ftoken%3D4&w=1", ["https%3A%2F%2Fx%2Fa.jpg%3Ftoken%3D4"]),
        ("https://h/i?url=https://x/a.jpg?token=5&w=1", ["https://x/a.jpg?token=5"]),
        ("https://h/i?url=https://x/a.jpg&w=1", []), ("https://h/p?w=1#token=6", []),
        ("https://h?key=7/8?9", ["7/8?9"]),
    ])
    func valuesOfSecretParametersAreFound(_ address: String, _ values: [String]) {
        #expect(AddressSecrets.values(in: address).map(String.init) == values)
    }

    @Test(arguments: [
        "3f786850e387550fdab836ed7e6dc881de23001b", "5d41402abc4b2a76b9719d911017c592", "9f86d081884c7d65",
        "f3a1b2c4-9d3e-4abc-8def-123456789abc", "dGhpc0lzQVRva2Vu1kXq9", "Zk3vR9qLx0TbWm2Y", "qzxkvjwptrhgfdbn",
        "eyJhbGciOiJIUzI1NiJ9", "m31-5d41402abc4b2a76b9719d911017c592", "s3cr3tT0k3nInThePath",
        "x7Kp_2vQ-9mZt4_Lw8R", "01g7etpf7dvbjac42jr5n6eqrh",
    ])
    func tokensAndDigestsLookRandom(_ text: String) { #expect(RandomText.isIn(text.utf8)) }

    @Test(arguments: [
        "", "m31", "andromeda", "20230807133459", "20230807133459123456", "falcon_9_block_5_image_20230807133459",
        "M31_HubbleSpitzerGendler_2000", "TheHorseheadNebulaInInfraredFromHubble", "potw2312a", "heic2017a",
        "iss072e123456", "art002e009288_orig", "NGC7635HSTclouds", "image-1024x768-scaled", "planetary-nebula-mosaic",
        "PerseusClusterAndGalaxies1024", "2024-02-03T04:05:06Z", "1500x1000", "MilchstrasseUeberDenAlpen2023",
        "internationalspacestation", "9f86d081884c7d6",
    ])
    func namesAndNumbersDoNotLookRandom(_ text: String) { #expect(!RandomText.isIn(text.utf8)) }

    @Test(arguments: [
        ("not cached: https://h/a/9f86d081884c7d65.jpg: gone", "not cached: https://h/a/***.jpg: gone"),
        ("GET http://h/s/Zk3vR9qLx0TbWm2Y/p?w=1500&v=Zk3vR9qLx0TbWm2Y", "GET http://h/s/***/p?w=1500&v=***"),
        ("(HTTPS://h/p?sid=1&w=2#top), and https://h/?a", "(HTTPS://h/p?sid=***&w=2), and https://h/?a"),
        ("https://h/p?pin=sha256-9f86d081884c7d65", "https://h/p?pin=sha256-9f86d081884c7d65"),
        ("https://h/?Zk3vR9qLx0TbWm2Y", "https://h/?***"), ("https://h/p#token", "https://h/p"),
        ("file:///srv/9f86d081884c7d65.jpg#1", "file:///srv/9f86d081884c7d65.jpg#1"),
        ("9f86d081884c7d65", "9f86d081884c7d65"),
        ("\"https://h/9f86d081884c7d65\": no", "\"https://h/***\": no"), ("://", "://"), ("", ""),
    ])
    func messagesConcealSecretsAndRandomText(_ message: String, _ shown: String) {
        #expect(AddressSecrets.concealed(in: message) == shown)
    }

    @Test func logsAndMetricsConcealAddresses() throws {
        let lines = Monitor([String]())
        let url = "https://h/Zk3vR9qLx0TbWm2Y/p.jpg?pin=1234#top"
        for format in Log.Format.allCases {
            let log = Log(tool: "t", format: format) { line in lines.withLock { $0.append(line) } }
            log.error("\(url): gone", facts: ["url": .text(url)])
        }
        let event = MetricEvent(.cache, ["url": .text(url), "key": .text(url)])
        let all = lines.withLock { $0 } + [String(decoding: event.line(tool: "t", pid: 1, time: .now()), as: UTF8.self)]
        #expect(all.count == 3 && all.allSatisfy { $0.contains(text: "https://h/***/p.jpg?pin=***") }, "\(all)")
        #expect(
            all.allSatisfy { !$0.contains(text: "1234") && !$0.contains(text: "Zk3v") && !$0.contains(text: "#top") })
    }
}
