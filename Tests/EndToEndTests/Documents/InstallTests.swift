import Support
import TestSupport
import Testing

/// `scripts/install`, with a folder in place of the root of the file system.
struct InstallTests {
    private let home: ToolHome
    private let target: String

    init() throws {
        home = try ToolHome()
        target = home.path("root")
        // The content of the programs does not matter.
        for tool in ["apod-fetch", "img-cache", "img-downsample", "gif-cache", "apod-tools"] {
            try home.folder.write("built/\(tool)", "#!/bin/sh\n", mode: 0o700)
        }
    }

    private func install(_ arguments: String = "") throws -> ToolOutput {
        try home.shell(
            "umask 077 && '\(Corpus.packageRoot)/scripts/install' \(arguments)",
            environment: ["DESTDIR": target, "PREFIX": "/usr", "APOD_TOOLS_BIN": home.folder.path("built")])
    }

    /// The modes of all files and folders below the target.
    private func modes() throws -> [String: String] {
        let lines = try home.shell("cd '\(target)' && find . -mindepth 1 -printf '%P\\t%m\\n' 2>/dev/null").expect(0)
            .lines
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let columns = line.split(separator: "\t").map(String.init)
                return (columns[0], columns[1])
            })
    }

    @Test func installedFilesAreReadableAndInStandardFolders() throws {
        let lines = try install().expect(0).lines
        #expect(lines.contains("\(target)/usr/bin/img-cache"))
        let modes = try modes()
        for tool in ["apod-fetch", "img-cache", "img-downsample", "gif-cache"] {
            #expect(modes["usr/bin/\(tool)"] == "755")
            for path in [
                "man/man1/\(tool).1", "bash-completion/completions/\(tool)", "zsh/site-functions/_apod-tools",
                "fish/vendor_completions.d/\(tool).fish",
            ] { #expect(modes["usr/share/\(path)"] == "644", "\(path)") }
        }
        #expect(modes["usr/share/man/man5/apod-tools.json.5"] == "644")
        #expect(modes["usr/share/man/man7/apod-tools-records.7"] == "644")
        for (path, mode) in modes where !path.split(separator: "/").last!.contains(".") {
            let isPlain = path.contains("completions/") || path.contains("site-functions/") || path.hasSuffix("LICENSE")
            #expect(mode == (isPlain ? "644" : "755"), "\(path)")
        }
        #expect(modes.values.allSatisfy { $0 == "644" || $0 == "755" })
    }

    @Test func uninstallRemovesOnlyInstalledFiles() throws {
        try home.folder.makeFolder("work/root/usr/bin")
        try home.write("root/usr/share/fish/vendor_completions.d/other.fish", "")
        let before = try modes()
        try install().expect(0)
        // A second installation creates no folders. `--uninstall` must still remove the folders created by the first.
        try install().expect(0)
        try install("--uninstall").expect(0)
        #expect(try modes() == before)
        try install("--uninstall").expect(0)
        #expect(try modes() == before)
    }

    @Test func singleProgramIsInstalledWithALinkForEachTool() throws {
        try install("--one-program").expect(0)
        for tool in ["apod-fetch", "img-cache", "img-downsample", "gif-cache"] {
            try home.shell("cmp '\(target)/usr/bin/\(tool)' '\(home.folder.path("built/apod-tools"))'").expect(0)
            #expect(try modes()["usr/bin/\(tool)"] == "777")
        }
        #expect(try modes()["usr/lib/apod-tools/apod-tools"] == "755")
        try install("--uninstall").expect(0)
        #expect(!TestFile.exists(target))
    }

    @Test func uninstallRemovesFoldersCreatedByInstall() throws {
        try install().expect(0)
        try install("--uninstall").expect(0)
        #expect(!TestFile.exists(target))
    }
}
