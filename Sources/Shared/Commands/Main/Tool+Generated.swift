import Options
import Support

extension Tool {
    func generated(_ kind: Generated) -> String {
        switch kind {
        case .man: command.manual(facts(except: command.name))
        case .settings: [AnyOption].settings.settingsManual(facts(except: "apod-tools.json"))
        case .settingsTable: [AnyOption].settings.settingsTable
        case .bash: String(decoding: PackageResources.apod_tools_bash, as: UTF8.self)
        case .zsh: String(decoding: PackageResources._apod_tools, as: UTF8.self)
        case .fish: String(decoding: PackageResources.apod_tools_fish, as: UTF8.self)
        }
    }

    private func facts(except page: String) -> ManualFacts {
        var pages = [
            ("apod-fetch", 1), ("curl", 1), ("gif-cache", 1), ("img-cache", 1), ("img-downsample", 1), ("jq", 1),
            ("apod-tools.json", 5), ("apod-tools", 7), ("apod-tools-records", 7),
        ]
        if page == "gif-cache" { pages.insert(("gifsicle", 1), at: 3) }
        if page == "img-downsample" || page == "apod-tools.json" { pages.removeAll { $0.0 == "curl" } }
        return ManualFacts(
            exitStatus: exitStatus, settings: Self.settings(of: page), variables: Self.variables(of: page),
            files: Self.files, seeAlso: pages.filter { $0.0 != page }.map { "\($0.0) \($0.1)" }, date: toolsDate)
    }

    /// Returns the settings that a manual page must list although they have no option.
    private static func settings(of page: String) -> [AnyOption] {
        switch page {
        case "apod-fetch": [.scienceURL, .apiURL]
        case "gif-cache": [.exerciseKey, .exerciseURL]
        case "apod-tools.json": [.scienceURL, .apiURL, .exerciseKey, .exerciseURL]
        default: []
        }
    }

    private static func variables(of page: String) -> [(names: [String], summary: String)] {
        var variables = [
            (["HOME"], "The home folder, which by default contains the cache, the configuration file and `.netrc`."),
            (["XDG_CACHE_HOME", "XDG_CONFIG_HOME"], "The folders of caches and configuration files."),
        ]
        if page == "apod-tools.json" { return variables }
        func add(_ summary: String, _ names: String...) { variables.append((names, summary)) }
        add(
            """
            The folders of files with the policies `memory` and `disabled`: `XDG_RUNTIME_DIR`, otherwise `/dev/shm`, \
            otherwise `TMPDIR` with the policy `disabled`.
            """, "XDG_RUNTIME_DIR", "TMPDIR")
        if page != "img-downsample" {
            add("Proxies, as for curl(1).", "http_proxy", "https_proxy", "all_proxy", "no_proxy")
        }
        if page == "apod-fetch" { add("The width of `--format text`, at most 80.", "COLUMNS") }
        add(
            """
            `NO_COLOR` draws progress without colours, and `CLICOLOR_FORCE` always with colours. If `TERM` is `dumb` \
            or not set, progress is written as lines.
            """, "NO_COLOR", "CLICOLOR_FORCE", "TERM")
        return variables
    }

    private static let files: [(path: String, summary: String)] = [
        ("~/.cache/apod-tools", "The cache, which all four tools share."),
        ("~/.config/apod-tools/config.json", "The configuration file."),
    ]
}
