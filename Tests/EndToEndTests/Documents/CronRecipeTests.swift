#if os(Linux)
import Support
import TestSupport
import Testing

/// The script for cron in `docs/scripting.md`, run on every day of a month, with a cache that holds a tenth of the
/// pictures.
struct CronRecipeTests {
    /// A library that shifts the tools' clock by `CLOCK_SHIFT` seconds.
    private static let clock = """
        #define _GNU_SOURCE
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = (int)syscall(SYS_clock_gettime, clock, time);
            const char *shift = getenv("CLOCK_SHIFT");
            if (clock == CLOCK_REALTIME && shift != NULL) time->tv_sec += atol(shift);
            return result;
        }
        """

    /// A replacement for `apod-fetch` whose service is down while the file `down` exists.
    private static let fetch = """
        #!/bin/sh
        if [ -e "$HOME/down" ]; then APOD_SCIENCE_URL=$DOWN; export APOD_SCIENCE_URL; fi
        LD_PRELOAD=$CLOCK; export LD_PRELOAD
        exec "$APOD_FETCH" "$@"

        """

    /// A replacement for `sleep` that records its argument. The file `down` contains the number of waits after which
    /// the outage ends.
    private static let sleep = """
        #!/bin/sh
        echo "$1" >> "$HOME/slept"
        if [ -e "$HOME/down" ] && [ "$(wc -l < "$HOME/slept")" -ge "$(cat "$HOME/down")" ]; then rm "$HOME/down"; fi

        """

    /// The outages by day of the month, each as the number of waits before the service is back.
    private static let outages = [2: 2, 4: 9, 15: 1, 24: 9]
    private static let waits = ["600", "3600", "7200", "0"]

    private static func script() throws -> String {
        let lines = try TestFile.text("\(Corpus.packageRoot)/docs/scripting.md").split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.drop { $0 != "#!/bin/sh" }.prefix { $0 != "```" }.joined(separator: "\n") + "\n"
    }

    @Test func cronScriptRetriesUntilTheServiceIsBack() throws {
        let server = try SampleServer(["--size", "300x200", "--today", "2024-02-05"])
        let home = try ToolHome(environment: server.environment)
        try #require(home.shell("command -v cc").status == 0, "the test needs a C compiler")
        try home.write("clock.c", Self.clock)
        try home.shell("cc -shared -fPIC -o clock.so clock.c").expect(0)
        try home.folder.write(
            "config/apod-tools/config.json", #"{"retries": 0, "capacity": "33kB", "lease": "0s"}"#)
        for (name, text) in [("apod-fetch", Self.fetch), ("sleep", Self.sleep)] {
            try home.folder.write("stand-ins/\(name)", text, mode: 0o700)
        }
        try home.folder.write("script", Self.script(), mode: 0o700)

        var pictures: [String] = []
        for number in 1...30 {
            try server.publishNextDay()
            let day = number < 25 ? "2024-02-\(number + 5 < 10 ? "0" : "")\(number + 5)" : "2024-03-0\(number - 24)"
            let outage = Self.outages[number]
            let waits = Self.waits.prefix(outage ?? 0)
            let isMissed = waits.count == Self.waits.count
            let noon = try #require(Timestamp(iso8601: "\(day)T12:00:00Z"))
            let shift = (noon - Timestamp.now()).milliseconds / 1000
            try home.folder.write("home/slept", "")
            if let outage { try home.folder.write("home/down", "\(outage)\n") }
            let output = try home.shell(
                "export PATH=\"\(home.folder.path("stand-ins")):$PATH\"; '\(home.folder.path("script"))'",
                environment: [
                    "CLOCK": home.path("clock.so"), "CLOCK_SHIFT": "\(shift)", "APOD_FETCH": Tools.path("apod-fetch"),
                    "DOWN": server.url("/wp-json/wp/v2/apod-basic", faults: ["status-503"]),
                    "APOD_API_URL": server.url("/none"),
                ])
            #expect(output.status == (isMissed ? 75 : 0), "\(day): \(output)")
            let slept = String(decoding: try home.folder.read("home/slept"), as: UTF8.self)
            #expect(slept.split(separator: "\n").map(String.init) == Array(waits), "\(day): \(output)")
            if !isMissed { pictures.append("\(day).jpg") }
            #expect(TemporaryFolder.names(in: home.folder.path("home/apod")).sorted() == pictures, "\(day): \(output)")
            _ = try? home.shell("rm -f \"$HOME/down\"").expect(0)
        }
        let asked = try server.requests().counts.filter { $0.key.hasPrefix("/pictures/") }
        #expect(asked == Dictionary(uniqueKeysWithValues: pictures.map { ("/pictures/\($0)", 1) }))
        #expect(try CacheOnDisk(home).count("evictions") >= 20)
    }
}
#endif
