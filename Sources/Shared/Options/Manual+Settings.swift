extension [AnyOption] {
    /// The manual page of the configuration file, in the language of mdoc(7).
    public func settingsManual(_ facts: ManualFacts) -> String {
        var page = ManualPage()
        page.request("Dd \(facts.date)")
        page.request("Dt APOD-TOOLS.JSON 5")
        page.request("Os apod-tools")
        page.section("NAME")
        page.request("Nm apod-tools.json")
        page.request("Nd settings of apod\\-fetch, img\\-cache, img\\-downsample and gif\\-cache")
        page.section("DESCRIPTION")
        page.text(
            """
            The configuration file is one JSON object for all four tools. It is config.json in the folder apod-tools of \
            $XDG_CONFIG_HOME or ~/.config, or the file that APOD_TOOLS_CONFIG or --config names. A field that no tool \
            knows is refused with status 78. Options override the environment, which overrides the file, which \
            overrides the default. img-cache settings shows what is in effect.
            """)
        page.request("Pp")
        page.text(
            """
            Sizes are written 4096, 200MB (10 to the 6 bytes) or 64MiB (2 to the 20), times 90s, 10m or 14d. A number or \
            a truth value may be written with quotes or without.
            """)
        page.section("FIELDS")
        page.list { page in
            for option in self {
                guard let field = option.field else { continue }
                page.request("It Cm \(field)")
                page.text(option.summary)
                if !option.manual.isEmpty { page.text(option.manual) }
                if !option.standard.isEmpty { page.text("The default is \(option.standard).") }
                var others = option.isTyped ? ["--\(option.name)"] : []
                if let variable = option.variable { others.append(variable) }
                if !others.isEmpty { page.text("Also \(others.joined(separator: ", ")).") }
            }
        }
        page.line(Command.manualPlace)
        page.environment(filter { $0.variable != nil }, facts)
        page.section("FILES")
        page.list { page in
            for (path, summary) in facts.files {
                page.request("It Pa \(ManualPage.escaped(path))")
                page.text(summary)
            }
        }
        page.section("EXIT STATUS")
        page.text("A file that cannot be used makes every tool end with status 78.")
        page.section("EXAMPLES")
        page.literal([
            "{",
            "  \"capacity\": \"2GB\",",
            "  \"scope\": \"desktop\",",
            "  \"policy_rules\": { \"*/private/*\": \"disabled\" },",
            "  \"styles\": { \"hero\": { \"width\": 600, \"height\": 300 } }",
            "}",
        ])
        page.section("SEE ALSO")
        for (index, other) in facts.seeAlso.enumerated() {
            page.request("Xr \(other)\(index == facts.seeAlso.count - 1 ? "" : " ,")")
        }
        return page.source
    }
}
