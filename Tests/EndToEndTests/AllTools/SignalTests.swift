import Libc
import Records
import TestSupport
import Testing

/// Runs ended by a signal or by a closed output pipe.
@Suite(.serialized)
struct SignalTests {
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func signalEndsAStalledDownloadAndKeepsTheCacheConsistent(_ signal: Int32) throws {
        let server = try StallingServer(stalls: 1)
        let home = try ToolHome(environment: server.environment)
        let tool = try home.start("img-cache", ["put", server.url()], stdin: .empty)
        #expect(server.waitUntilStalled())
        tool.kill(signal)
        // The deadline is well above the grace period of five seconds, and well below the timeouts of requests.
        let output = tool.wait(deadline: .seconds(20))
        #expect(output.signal == signal && !output.overran, "\(output)")
        #expect(output.stdout == "" && output.stderr == "", "\(output)")
        #expect(home.blobs == [])

        let record = try home.run("img-cache", ["put", server.url()]).expect(0).record
        #expect(try TestFile.bytes(try #require(record.string("path"))) == server.picture)
        #expect(home.leftovers == [])
    }

    /// Regression test: the thread that waits for a second signal once took the signal that should end the process. The
    /// kernel delivers a signal to an arbitrary thread, so each tool is ended several times.
    @Test(arguments: 0..<6) func signalEndsTheWaitForInput(_ round: Int) throws {
        let home = try Sample.home()
        for (tool, arguments) in [
            ("img-cache", ["put"]), ("img-downsample", ["--variant", "pager"]), ("gif-cache", ["get"]),
        ] {
            let running = try home.start(tool, arguments)
            // The echoed record shows that the tool has begun to read.
            running.write("{\"error\":{}}\n")
            #expect(running.readLine() == "{\"error\":{}}")
            running.kill(SIGTERM)
            // End of output means that the tool has ended; only then may its input be closed.
            #expect(running.readLine() == nil)
            let output = running.wait(deadline: .seconds(20))
            #expect(output.signal == SIGTERM && !output.overran, "\(output)")
        }
    }

    /// After the first signal, uninterruptible work gets five seconds to clean up; the second signal ends the process
    /// immediately.
    @Test func secondSignalEndsTheToolImmediately() throws {
        let (home, folder) = (try ToolHome(), try TemporaryFolder())
        let pipe = folder.path("pipe")
        try claim(mkfifo(pipe, 0o600) == 0, "no pipe")
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        var writer = pollfd(fd: open(pipe, O_WRONLY | O_NONBLOCK), events: Int16(POLLOUT), revents: 0)
        defer { close(reader) }
        defer { close(writer.fd) }
        let picture = DrawnPicture.noise(300, 300, seed: 1).png()
        let running = try home.start(
            "img-downsample", ["-", "--format", "png", "-o", "-"], stdin: .bytes(picture), stdout: .file(pipe))
        // Once the pipe is full, the tool waits for a reader, and no signal interrupts that wait.
        while running.isRunning, poll(&writer, 1, 0) == 1 { sched_yield() }
        running.kill(atOnce: [SIGINT, SIGTERM])
        let output = running.wait(deadline: .seconds(60))
        #expect(output.signal == SIGTERM, "\(output)")
        #expect(TemporaryFolder.names(in: home.work) == [], "\(output)")
    }

    @Test func signalEndsTheWaitForAService() throws {
        let service = try StallingServer(type: "image/gif")
        let home = try ToolHome(
            environment: service.environment.merging([
                "APOD_SCIENCE_URL": service.url("science"), "EXERCISEDB_API_URL": service.url("exercises"),
            ]) { $1 })
        for (index, arguments) in [["apod-fetch", "--date", "2024-02-01"], ["gif-cache", "put", "0001"]].enumerated() {
            let running = try home.start(arguments[0], Array(arguments[1...]), stdin: .empty)
            #expect(service.waitUntilStalled(index + 1))
            running.kill(SIGINT)
            let output = running.wait(deadline: .seconds(20))
            #expect(output.signal == SIGINT && !output.overran, "\(output)")
            #expect(output.stdout == "" && output.stderr == "", "\(output)")
        }
    }

    @Test func recordsFinishedBeforeTheSignalAreWritten() throws {
        let server = try StallingServer()
        let home = try Sample.home()
        let running = try home.start("img-cache", ["put", "--jobs", "1"])
        running.write("{\"url\":\"\(try Sample.url("before-signal.jpg"))\"}\n{\"url\":\"\(server.url())\"}\n")
        #expect(server.waitUntilStalled())
        #expect(running.readLine()?.contains("before-signal.jpg") == true)
        running.kill(SIGTERM)
        #expect(running.readLine() == nil)
        let output = running.wait(deadline: .seconds(20))
        #expect(output.signal == SIGTERM, "\(output)")
        #expect(try output.record.string("cache.status") == "miss")
        #expect(home.blobs.count == 1)
    }

    @Test func killedDownloadLeavesNoEntry() throws {
        let server = try StallingServer(stalls: 1)
        let home = try ToolHome(environment: server.environment)
        let running = try home.start("img-cache", ["put", server.url()], stdin: .empty)
        #expect(server.waitUntilStalled())
        running.kill(SIGKILL)
        #expect(running.wait().signal == SIGKILL)
        #expect(home.blobs == [])
        #expect(try home.run("img-cache", ["get", server.url()]).status == 1)
        let record = try home.run("img-cache", ["put", server.url()]).expect(0).record
        #expect(try TestFile.bytes(try #require(record.string("path"))) == server.picture)
        #expect(home.leftovers == [])
    }

    @Test func interruptedRunRemovesItsTemporaryFileAndKeepsTheOlderOutput() throws {
        let home = try Sample.home()
        // The picture is so large that the tool still encodes it after its first bytes are written.
        let file = try home.write(
            "large.png", DrawnPicture.noise(3000, 2000, seed: 3).png(.stored, filter: PNGFilter.none))
        try home.write("out.png", "the older one")
        let running = try home.start(
            "img-downsample", [file, "--width", "2990", "-o", "out.png"], stdin: .empty)
        // A temporary file beside the output shows that writing has begun.
        while running.isRunning, TemporaryFolder.names(in: home.work).count < 3 {}
        running.kill(SIGINT)
        let output = running.wait(deadline: .seconds(60))
        #expect(TemporaryFolder.names(in: home.work) == ["large.png", "out.png"], "\(output)")
        if output.status == nil {
            #expect(output.signal == SIGINT)
            #expect(try TestFile.text(home.path("out.png")) == "the older one")
        }
    }

    // MARK: Closed pipes

    @Test func closedPipeEndsToolsQuietly() throws {
        let home = try Sample.home()
        let many = (0..<2000).map { "{\"n\":\($0),\"error\":{\"tool\":\"x\"}}" }
        for tool in ["img-cache put", "img-cache get", "img-downsample --variant pager", "gif-cache put"] {
            // Prints the status of the tool rather than of head.
            let script = "{ \(tool); echo status $? >&2; } | head -n 1"
            let output = try home.shell(script, stdin: .lines(many))
            #expect(output.lines == [many[0]], "\(output)")
            #expect(output.stderr == "status 0\n", "\(output)")
        }
        let days = "{ apod-fetch --date 2024-02-01..2024-04-30; echo status $? >&2; } | head -n 1"
        // The service has all of these days, because the number of days fetched before the tool notices the closed pipe
        // varies.
        let service = try SampleServer(["--legacy", "classic"])
        let output = try ToolHome(environment: service.environment).shell(days)
        #expect(output.lines.count == 1 && output.stderr == "status 0\n", "\(output)")
    }

    @Test func closedPipeEndsStalledDownloads() throws {
        let server = try StallingServer()
        let home = try Sample.home()
        let good = try Sample.url("closed-pipe.jpg")
        // The reader exits after the first record, while the other downloads are stalled.
        let script =
            "{ img-cache put \(good) \(server.url("1.png")) \(server.url("2.png")); echo status $? >&2; } | head -n 1"
        let output = try home.shell(script, deadline: .seconds(30))
        #expect(!output.overran && output.stderr == "status 0\n", "\(output)")
        #expect(output.lines.count == 1)
        #expect(home.blobs.count == 1)
        // The partial file may stay for the next run, but it is not an entry.
        #expect(try home.run("img-cache", ["has", server.url("1.png")]).status == 1)
    }

    @Test func closedPipeEndsTheWaitForInput() throws {
        let home = try Sample.home()
        for tool in ["img-cache put", "img-downsample --variant pager"] {
            let running = try home.start("/bin/sh", ["-c", "{ \(tool); echo status $? >&2; } | head -n 1"])
            running.write("{\"error\":{}}\n")
            #expect(running.readLine() == "{\"error\":{}}")
            // Standard input is still open, so only the closed output can end the tool.
            #expect(running.readErrorLine() == "status 0")
            #expect(running.isRunning || running.wait().stderr == "status 0\n")
        }
    }

    @Test func writingToAClosedPipeExitsWithZero() throws {
        let home = try Sample.home()
        let url = try Sample.url("closed-cat.jpg")
        let file = try home.write("a.png", DrawnPicture.noise(600, 400, seed: 2).png())
        _ = try home.run("img-cache", ["put", url]).expect(0)
        let runs = [
            ["img-cache", "cat", url], ["img-cache", "path", url], ["img-cache", "ls"], ["img-cache", "stats"],
            ["img-cache", "put", url], ["img-downsample", file, "--width", "500", "-o", "-"],
            ["apod-fetch", "--date", "2024-02-01"], ["img-cache", "--help"],
        ]
        for arguments in runs {
            let output = try home.run(arguments[0], Array(arguments[1...]), stdout: .closedPipe)
            #expect(output.status == 0, "\(output)")
            #expect(output.stderr == "", "\(output)")
        }
    }
}
