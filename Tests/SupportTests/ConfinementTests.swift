import Testing

@testable import Support

struct ConfinementTests {
    @Test func droppedRightIsDistinguishedFromAMissingPermission() {
        let given = SystemFailure(errno: 13, "open /a", purpose: .openInput, isConfined: true)
        #expect(given.code == "confined")
        #expect(given.exitCode == .noInput)
        #expect(given.message.contains("/a") && given.message.contains("APOD_TOOLS_CONFINEMENT=false"))
        let never = SystemFailure(errno: 13, "open /a", purpose: .openInput)
        #expect(never.code == "permission")
        #expect(!never.message.contains("APOD_TOOLS_CONFINEMENT=false"))
    }

    @Test func unconfinedProcessHasNoConfinementErrors() {
        #expect(!Confinement.refused("/etc/hostname", flags: 0, errno: 13))
    }

    @Test func descriptionNamesActiveAndMissingMechanisms() {
        let rows: [(Confinement.Enforcement, String)] = [
            (.init(landlock: 7, filtersCalls: true), "confined by Landlock 7 and seccomp"),
            (.init(landlock: 3), "confined by Landlock 3 only; seccomp is not available"),
            (.init(filtersCalls: true), "confined by seccomp only; Landlock 2 or newer is not available"),
            (.init(), "not confined; neither Landlock nor seccomp is available"),
        ]
        for (enforcement, words) in rows { #expect(enforcement.words == words) }
    }
}
