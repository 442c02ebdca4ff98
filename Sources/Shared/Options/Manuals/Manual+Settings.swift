extension [AnyOption] {
    /// Returns the manual page of the configuration file in mdoc(7) format.
    public func settingsManual(_ facts: ManualFacts) -> String {
        var page = ManualPage("apod-tools.json", section: 5, date: facts.date)
        page.section("NAME")
        page.request("Nm apod-tools.json")
        page.request("Nd settings of apod\\-fetch, img\\-cache, img\\-downsample and gif\\-cache")
        page.section("DESCRIPTION")
        page.text(
            """
            The configuration file contains a JSON object, which all four tools read. Its default path is \
            `$XDG_CONFIG_HOME/apod-tools/config.json`, or `~/.config/apod-tools/config.json` if `XDG_CONFIG_HOME` is \
            not set. `APOD_TOOLS_CONFIG` or `--config` names another file.
            """)
        page.request("Pp")
        page.text(
            """
            An unknown field or an invalid value is an error (status 78). `img-cache settings` shows every setting \
            with its value and the source of the value.
            """)
        page.request("Pp")
        page.text(
            """
            Sizes are written `4096` (bytes), `200MB` (200,000,000 bytes) or `64MiB` (64 x 1,048,576 bytes). \
            Times are written `90` (seconds), `250ms`, `10m` or `14d`. Numbers and Booleans may be quoted.
            """)
        page.section("SETTINGS")
        page.list { page in
            for option in self {
                guard let field = option.field else { continue }
                page.request("It Cm \(field)")
                page.explain(option)
                if case .flag(let means, _) = option.form {
                    page.text("The values are `\(means)` and `\(!means)`; the default is `\(option.defaultText)`.")
                }
                var others: [String] = []
                if option.isTyped { others.append("option: `--\(option.name)`") }
                if let variable = option.variable { others.append("environment: `\(variable)`") }
                if !others.isEmpty { page.text("(\(others.joined(separator: "; ")))") }
            }
        }
        page.line(ManualPage.place)
        page.environment(filter(\.isTyped), facts)
        page.files(facts)
        page.section("EXIT STATUS")
        page.text("Every tool exits with status 78 if the file cannot be read or is invalid.")
        page.section("EXAMPLES")
        page.literal([
            "{",
            "  \"capacity\": \"2GB\",",
            "  \"scope\": \"desktop\",",
            "  \"policy_rules\": { \"*/private/*\": \"disabled\" },",
            "  \"styles\": { \"hero\": { \"width\": 600, \"height\": 300 } }",
            "}",
        ])
        page.seeAlso(facts)
        return page.source
    }

    /// A Markdown table of all settings.
    public var settingsTable: String {
        var table = "| setting | option | environment | field of the file | default |\n"
        table += "| --- | --- | --- | --- | --- |\n"
        for option in self {
            var remark = ""
            // `--no-NAME` sets the field `NAME` to false.
            if case .flag(means: false, _) = option.form { remark = " (`false`)" }
            let names = [option.isTyped ? "--\(option.name)" : nil, option.variable, option.field]
            let cells =
                [Self.cell(option.summary) + remark] + names.map { $0.map { "`\($0)`" } ?? "" }
                + [Self.cell(option.defaultText)]
            table += "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined() + "\n"
        }
        return table
    }

    /// Escapes the characters that are special in a table.
    private static func cell(_ text: String) -> String {
        var result = ""
        for character in text {
            if "|*<".contains(character) { result += "\\" }
            result.append(character.isNewline ? " " : character)
        }
        return result
    }
}
