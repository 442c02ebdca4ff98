/// Escapes text for HTML.
enum HTML {
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#039;"
            case "\u{2019}": result += "&#8217;"
            case "\u{201C}": result += "&ldquo;"
            case "\u{201D}": result += "&rdquo;"
            case "\u{2013}": result += "&#8211;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
