import Testing

@testable import Commands

/// `--allow-private` with and without a value.
struct ArgumentRewritingTests {
    private func completed(_ line: String) -> String {
        ArgumentRewriting.completed(line.split(separator: " ").map(String.init)).joined(separator: " ")
    }

    @Test func aloneItMeansAll() {
        #expect(completed("put --allow-private") == "put --allow-private 1")
        #expect(completed("--allow-private --jobs 3") == "--allow-private 1 --jobs 3")
        #expect(
            completed("put --allow-private http://127.0.0.1/a.png") == "put --allow-private 1 http://127.0.0.1/a.png")
        #expect(completed("put --allow-private /tmp/a.png") == "put --allow-private 1 /tmp/a.png")
        #expect(completed("put --allow-private -") == "put --allow-private 1 -")
    }

    @Test(arguments: ["10.0.0.0/8", "127.0.0.1,10.0.0.0/8", "::1", "fd00::/8,127.0.0.1", "1", "0"])
    func aListBehindItIsItsValue(_ value: String) {
        #expect(completed("put --allow-private \(value) x.png") == "put --allow-private \(value) x.png")
    }

    @Test func whatIsJoinedOrStandsBehindTheEndOfOptionsStays() {
        #expect(completed("put --allow-private=10.0.0.0/8 x") == "put --allow-private=10.0.0.0/8 x")
        #expect(completed("put -- --allow-private x") == "put -- --allow-private x")
        #expect(completed("") == "")
    }
}
