import Support

extension HTTPRequest {
    /// The user's header fields by lower-case name, with the user name and password as `authorization`. Values are
    /// normalised so that equivalent values are equal (RFC 9111 §4.1): fields of the same name are joined, white space
    /// around commas is removed, and languages are in lower case.
    public var userFields: [String: String] {
        var fields: [String: String] = [:]
        for header in headers {
            let name = header.name.lowercased()
            let members = header.value.split(separator: ",", omittingEmptySubsequences: false)
            var value = members.map { $0.trimming { $0 == " " || $0 == "\t" } }.joined(separator: ",")
            if name == "accept-language" { value = value.lowercased() }
            fields[name] = fields[name].map { "\($0),\(value)" } ?? value
        }
        if let credentials { fields["authorization"] = "\(credentials.user):\(credentials.password)" }
        return fields
    }

    /// The maximum age of a cached answer that the request's `Cache-Control` permits (RFC 9111 §5.2.1); zero for
    /// `no-cache`, nil for any age.
    public var acceptedMaxAge: Duration? {
        guard let text = userFields["cache-control"] else { return nil }
        let control = CacheControl(text)
        return control.noCache ? .zero : control.maxAge.map { .seconds($0) }
    }
}
