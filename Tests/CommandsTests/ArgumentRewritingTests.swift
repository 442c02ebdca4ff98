import Testing

@testable import Commands

/// Options with more, or fewer, values than one.
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

    /// A name made of letters that are also digits to the base of 16 was once taken as its value.
    @Test(arguments: ["cafe", "0001", "beef", "/etc"])
    func aNameBehindItStaysAnArgument(_ name: String) {
        #expect(completed("put --allow-private \(name)") == "put --allow-private 1 \(name)")
    }

    /// What is meant as a list and is none must not open everything.
    @Test(arguments: ["10.0.0.0/33", "fd00::/8/9", "1.2.3"])
    func aBadListBehindItIsStillItsValue(_ list: String) {
        #expect(completed("put --allow-private \(list) x") == "put --allow-private \(list) x")
    }

    @Test func aDateWithoutAWordIsToday() {
        #expect(completed("--date") == "--date today")
        #expect(completed("--date --pretty") == "--date today --pretty")
        #expect(completed("--date -v --date 2024-02 --date") == "--date today -v --date 2024-02 --date today")
        #expect(completed("--date -") == "--date today -")
        #expect(completed("--date=2024 -- --date") == "--date=2024 -- --date")
    }

    @Test func originAndHeaderOrFileBecomeOneWord() {
        #expect(completed("put --bearer-for https://a token x") == "put --bearer-for https://a token x")
        #expect(
            ArgumentRewriting.completed(["put", "--bearer-for", "https://a", "my token", "x"])
                == ["put", "--bearer-for", "https://a my token", "x"])
        let words = ["put", "--header-for", "https://a", "X: 1", "https://a/b"]
        #expect(ArgumentRewriting.completed(words) == ["put", "--header-for", "https://a X: 1", "https://a/b"])
        let whole = ["put", "--header-for", "https://a X: 1", "https://a/b"]
        #expect(ArgumentRewriting.completed(whole) == whole)
        for short in [["put", "--header-for"], ["put", "--header-for", "https://a"], ["--", "--header-for", "a", "b"]] {
            #expect(ArgumentRewriting.completed(short) == short)
        }
    }

    @Test func whatIsJoinedOrStandsBehindTheEndOfOptionsStays() {
        #expect(completed("put --allow-private=10.0.0.0/8 x") == "put --allow-private=10.0.0.0/8 x")
        #expect(completed("put -- --allow-private x") == "put -- --allow-private x")
        #expect(completed("") == "")
    }
}
