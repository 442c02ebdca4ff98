/// Names of parameters whose values are probably secrets: keys, tokens, passwords, and the parts of signed addresses.
enum SecretName {
    /// Secret words. `access_key`, `accessKey` and `X-Access-Key` contain the word `key`, not `keyword` or `monkey`.
    private static let words: Set<String> = [
        "cookie", "cred", "creds", "key", "nonce", "otp", "pass", "pin", "policy", "psw", "pw", "saml", "sess",
        "session", "sid", "sig", "sign", "signed", "sso", "ticket", "totp", "verify",
    ]

    /// Secret parts of words, as in `accesstoken` and `PHPSESSID`. Ordinary words do not contain these parts.
    private static let parts = [
        "accesskey", "apikey", "authkey", "authoriz", "bearer", "credential", "csrf", "hdnea", "hdnt", "hmac", "jwt",
        "passcode", "passphrase", "passw", "pwd", "rlkey", "secret", "sessid", "sessionid", "signature", "token",
        "verif", "xsrf",
    ]

    /// Names that are secret only as a whole, since harmless names contain them as words. Used by OAuth (`code`), nginx
    /// (`md5`, `st`, `e`), Azure (`se`, `sv`, …), Google, Facebook (`oh`, `oe`) and Discord (`hm`).
    private static let names: Set<String> = [
        "code", "e", "exp", "expires", "googleaccessid", "hm", "md5", "oe", "oh", "se", "skoid", "sktid", "sp", "spr",
        "sr", "st", "sv",
    ]

    /// First words of the parameters in signed addresses of Amazon's and Google's storage.
    private static let vendors = [["x", "amz"], ["x", "goog"]]

    /// Whether a percent-decoded name is secret. Ignores case.
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

    /// Returns the words of a name in lower case. A word ends between a letter and a digit, before a capital that
    /// follows or precedes a small letter, and at every character that is neither letter nor digit.
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
            case _ where byte.isUpper:
                // Ends the word before `T` in `accessToken`, and before the second `A` in `AWSAccess`.
                if !before.isUpper || after.isLower { end() }
                word.append(byte | 0x20)
            case _ where byte.isLower: word.append(byte)
            case _ where byte.isDigit:
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
    fileprivate var isUpper: Bool { isLetter && self & 0x20 == 0 }
    fileprivate var isLower: Bool { isLetter && self & 0x20 != 0 }
}
