/// Names of parameters whose values are likely secrets: keys, tokens, passwords, signatures, and what servers sign.
enum SecretName {
    /// Secret as one of a name's words, which end at every character but letters and digits, where a digit follows a
    /// letter, and where a capital follows a small letter: `access_token`, `accessToken` and `X-Amz-Signature`, but
    /// neither `design` nor `keyword`.
    private static let words: Set<String> = [
        "cookie", "cred", "creds", "key", "nonce", "otp", "pass", "pin", "policy", "psw", "pw", "saml", "sess",
        "session",
        "sid", "sig", "sign", "signed", "sso", "ticket", "totp", "verify",
    ]

    /// Secret anywhere in a word, as they occur in no other: `accesstoken`, `PHPSESSID`, `authkey`.
    private static let parts = [
        "accesskey", "apikey", "authkey", "authoriz", "bearer", "credential", "csrf", "hdnea", "hdnt", "hmac", "jwt",
        "passcode", "passphrase", "passw", "pwd", "rlkey", "secret", "sessid", "sessionid", "signature", "token",
        "verif",
        "xsrf",
    ]

    /// Secret only as the whole name: too short, or too common in other names. They belong to signed addresses of nginx
    /// (`md5`, `st`, `e`), Azure (`se`, `sv`, …), Google, Facebook (`oh`, `oe`) and Discord (`hm`), and to OAuth (`code`).
    private static let names: Set<String> = [
        "code", "e", "exp", "expires", "googleaccessid", "hm", "md5", "oe", "oh", "se", "skoid", "sktid", "sp", "spr",
        "sr",
        "st", "sv",
    ]

    /// All parameters with these first words belong to signed addresses of Amazon's and Google's storage.
    private static let vendors = [["x", "amz"], ["x", "goog"]]

    /// Whether a name, percent-decoded, is one of these, in whatever case.
    static func matches(_ name: [UInt8]) -> Bool {
        let words = self.words(of: name)
        if words.contains(where: isSecret) || vendors.contains(where: words.starts) { return true }
        return names.contains(String(decoding: name, as: UTF8.self).lowercased())
    }

    private static func isSecret(_ word: String) -> Bool {
        if words.contains(word) || parts.contains(where: word.contains(text:)) { return true }
        // `oauth` and `authid`, but not `author`.
        return word.hasSuffix("auth") || word.hasPrefix("auth") && !word.hasPrefix("author")
    }

    /// The words of a name, in lower case.
    private static func words(of name: [UInt8]) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        func end() {
            if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
            word = []
        }
        for (place, byte) in name.enumerated() {
            let before = place > 0 ? name[place - 1] : 0
            let after = place + 1 < name.count ? name[place + 1] : 0
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                // `accessToken`, and the last capital of `AWSAccessKeyId`'s first three.
                if !before.isUpper || after.isLower { end() }
                word.append(byte | 0x20)
            case _ where byte.isLower: word.append(byte)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if !before.isDigit { end() }
                word.append(byte)
                if !after.isDigit { end() }
            default: end()
            }
        }
        end()
        return words
    }
}

extension UInt8 {
    var isUpper: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    var isLower: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    var isASCIILetter: Bool { (self | 0x20).isLower }
}
