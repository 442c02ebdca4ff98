import Support

extension HTTPRequest {
    /// The fields that differ from request to request, by their names in lower case: those that the user gives, and the
    /// user name with the password. Values that mean the same are written the same (RFC 9111 §4.1): lines of one name are
    /// joined, blanks around commas removed, languages in lower case.
    public var ownFields: [String: String] {
        var fields: [String: String] = [:]
        for header in headers {
            let name = header.name.lowercased()
            let members = header.value.split(separator: ",", omittingEmptySubsequences: false)
            var value = members.map { $0.trimmingBlanks() }.joined(separator: ",")
            if name == "accept-language" { value = value.lowercased() }
            fields[name] = fields[name].map { "\($0),\(value)" } ?? value
        }
        if let credentials { fields["authorization"] = "\(credentials.user):\(credentials.password)" }
        return fields
    }

    /// How old an answer may be that the request's own `Cache-Control` lets a cache give (RFC 9111 §5.2.1); zero for
    /// `no-cache`, nil for any age.
    public var oldestAge: Duration? {
        guard let text = ownFields["cache-control"] else { return nil }
        let control = CacheControl(text)
        return control.noCache ? .zero : control.maxAge.map { .seconds($0) }
    }
}

extension Substring {
    /// The text without blanks and tabs around it.
    fileprivate func trimmingBlanks() -> Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
