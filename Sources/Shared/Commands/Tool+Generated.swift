import Options
import Support

extension Tool {
    /// What `--generate` writes.
    func generated(_ kind: Generated) -> String {
        switch kind {
        case .man: command.manual(facts(except: command.name))
        case .settings: [AnyOption].settings.settingsManual(facts(except: "apod-tools.json"))
        case .bash: command.bashCompletion
        case .zsh: command.zshCompletion
        case .fish: command.fishCompletion
        }
    }

    private func facts(except page: String) -> ManualFacts {
        let pages = [
            ("apod-fetch", 1), ("gif-cache", 1), ("img-cache", 1), ("img-downsample", 1), ("apod-tools.json", 5),
            ("apod-tools-records", 7),
        ]
        return ManualFacts(
            exitStatus: exitStatus, variables: Self.variables, files: Self.files,
            seeAlso: pages.filter { $0.0 != page }.map { "\($0.0) \($0.1)" }, date: toolsDate)
    }

    private static let variables: [(name: String, summary: String)] = [
        ("HOME", "The folder with the usual places of cache and configuration file, and with .netrc."),
        ("XDG_CACHE_HOME , XDG_CONFIG_HOME", "Where caches and configuration files are, if not below HOME."),
        ("XDG_RUNTIME_DIR", "Where pictures under the policies memory and disabled are."),
        ("http_proxy , https_proxy , all_proxy , no_proxy", "Proxies, as curl(1) uses them."),
        ("NO_COLOR , CLICOLOR_FORCE , TERM", "Whether progress and text may have colours."),
    ]

    private static let files: [(path: String, summary: String)] = [
        ("~/.cache/apod-tools", "The cache, shared by all four tools."),
        ("~/.config/apod-tools/config.json", "The configuration file: see apod-tools.json(5)."),
    ]
}
