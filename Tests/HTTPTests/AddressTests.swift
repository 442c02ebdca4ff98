import Support
import TestSupport
import Testing

@testable import HTTP

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::0001", "2001:db8::1"),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"), ("0:0:1::", "0:0:1::"),
        ("::ffff:1.2.3.4", "::ffff:1.2.3.4"), ("64:ff9b::1.2.3.4", "64:ff9b::102:304"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
    ])
    func addressesArePrintedInCanonicalForm(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.-4", ":", ":::", "1::2::3", "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9", "12345::", "::g", "1.2.3.4::", "::1.2.3", "::1%eth0", "1:2:3:4:5:6:7::8", ":1::", "1::2:",
    ])
    func invalidAddressesAreRefused(text: String) { #expect(IPAddress(text) == nil) }

    @Test func addressesSurviveARoundTrip() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<2000 {
            let bytes = (0..<16).map { _ in Bool.random(using: &random) ? UInt8.random(in: 0...255, using: &random) : 0
            }
            let address = IPAddress(bytes: bytes)!
            #expect(IPAddress(address.description) == address)
        }
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("127.0.1", "127.0.0.1"), ("0x7f000001", "127.0.0.1"),
        ("0X7F.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("017700000001", "127.0.0.1"), ("0", "0.0.0.0"),
        ("1.2.65535", "1.2.255.255"), ("0xffffffff", "255.255.255.255"),
    ])
    func legacyIPv4FormsAreParsed(text: String, canonical: String) {
        #expect(IPAddress(anyIPv4Form: text)?.description == canonical)
    }

    @Test(arguments: [
        "", ".", "1.", "256.1", "1.2.65536", "4294967296", "0x", "09", "1.2.3.4.5", "+1", "-1", "1.+2", "a",
    ])
    func invalidIPv4FormsAreRefused(text: String) { #expect(IPAddress(anyIPv4Form: text) == nil) }
}

@Suite struct AddressClassTests {
    @Test(arguments: [
        ("8.8.8.8", AddressClass.global), ("1.1.1.1", .global), ("172.15.0.1", .global), ("172.32.0.1", .global),
        ("100.63.255.255", .global), ("100.128.0.0", .global), ("198.17.0.1", .global), ("223.255.255.255", .global),
        ("0.0.0.0", .unspecified), ("0.1.2.3", .reserved), ("10.0.0.1", .privateUse), ("172.16.0.1", .privateUse),
        ("172.31.255.255", .privateUse), ("192.168.1.1", .privateUse), ("100.64.0.1", .carrierShared),
        ("100.127.255.255", .carrierShared), ("127.0.0.1", .loopback), ("127.255.255.255", .loopback),
        ("169.254.1.1", .linkLocal), ("169.254.169.254", .metadata), ("192.0.0.8", .reserved),
        ("192.0.2.1", .documentation), ("198.51.100.1", .documentation), ("203.0.113.1", .documentation),
        ("192.88.99.1", .reserved), ("198.18.0.1", .benchmarking), ("198.19.255.255", .benchmarking),
        ("224.0.0.1", .multicast), ("239.255.255.255", .multicast), ("240.0.0.1", .reserved),
        ("255.255.255.255", .broadcast),
        ("2606:4700:4700::1111", .global), ("2a00::1", .global), ("::", .unspecified), ("::1", .loopback),
        ("fe80::1", .linkLocal), ("febf::1", .linkLocal), ("fec0::1", .siteLocal), ("fc00::1", .uniqueLocal),
        ("fd12::1", .uniqueLocal), ("fd00:ec2::254", .metadata), ("ff02::1", .multicast), ("100::1", .discard),
        ("2001:db8::1", .documentation), ("3fff:fff::1", .documentation), ("2001:2::1", .benchmarking),
        ("2001:10::1", .orchid), ("2001:2f::1", .orchid), ("2001:5::1", .reserved), ("5f00::1", .reserved),
        ("4000::1", .reserved), ("8000::1", .reserved), ("64:ff9b:2::1", .reserved),
        // First and last addresses of further blocks in IANA's registries, and addresses beside the blocks
        ("0.255.255.255", .reserved), ("10.255.255.255", .privateUse), ("9.255.255.255", .global),
        ("11.0.0.0", .global),
        ("126.255.255.255", .global), ("128.0.0.0", .global), ("169.253.255.255", .global),
        ("169.254.0.0", .linkLocal), ("169.254.255.255", .linkLocal), ("169.255.0.0", .global),
        ("192.0.0.0", .reserved), ("192.0.0.170", .reserved), ("192.0.0.255", .reserved), ("192.0.1.0", .global),
        ("192.31.196.1", .global), ("192.52.193.1", .global), ("192.175.48.1", .global), ("192.167.255.255", .global),
        ("192.169.0.0", .global), ("198.20.0.0", .global), ("203.0.114.0", .global), ("255.255.255.254", .reserved),
        ("100:0:0:1::1", .reserved), ("100:0:0:2::1", .reserved), ("2001:1::1", .reserved), ("2001:3::1", .reserved),
        ("2001:4:112::1", .reserved), ("2001:30::1", .reserved), ("2001:1ff:ffff::1", .reserved),
        ("2001:200::1", .global), ("2620:4f:8000::1", .global), ("3fff:1000::1", .global), ("fe00::1", .reserved),
        ("1fff::1", .reserved), ("ffff::1", .multicast),
        // Addresses from which clouds serve credentials
        ("169.254.170.2", .metadata), ("169.254.170.23", .metadata), ("168.63.129.16", .metadata),
        ("168.63.129.17", .global), ("100.100.100.200", .metadata), ("192.0.0.192", .metadata),
        ("fd00:ec2::23", .metadata), ("fd20:ce::254", .metadata), ("fd00:42::42", .metadata),
        ("::ffff:169.254.169.254", .metadata), ("2002:a9fe:a9fe::", .metadata), ("64:ff9b::a9fe:a9fe", .metadata),
        // IPv4 embedded in IPv6
        ("::ffff:127.0.0.1", .loopback), ("::ffff:8.8.8.8", .global), ("::127.0.0.1", .loopback),
        ("::0.0.0.2", .reserved), ("::ffff:0:10.0.0.1", .privateUse), ("2002:7f00:1::", .loopback),
        ("2002:808:808::1", .global), ("64:ff9b::a00:1", .privateUse), ("64:ff9b::808:808", .global),
        ("64:ff9b:1::169.254.169.254", .metadata), ("64:ff9b:1:808:8:800::", .reserved),
        ("64:ff9b:1::8.8.8.8", .global),
        ("64:ff9b:1:7f00:0:100:808:808", .reserved), ("64:ff9b:1:0:7f:1:808:808", .reserved),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe", .loopback),
        ("2001:0:4136:e378:8000:63bf:f7f7:f7f7", .global),
    ])
    func addressesAreClassified(text: String, kind: AddressClass) throws {
        #expect(AddressClass(try #require(IPAddress(text))) == kind)
    }
}

@Suite struct AddressGuardTests {
    private func verdict(_ guarding: AddressGuard, _ text: String) throws -> AddressGuard.Verdict {
        guarding.verdict(on: try #require(IPAddress(text)))
    }

    @Test func standardGuardAllowsOnlyPublicAddresses() throws {
        #expect(try verdict(.standard, "8.8.8.8") == .allowed)
        #expect(try verdict(.standard, "127.0.0.1") == .refused(.loopback))
        #expect(try verdict(.standard, "::ffff:10.1.1.1") == .refused(.privateUse))
    }

    @Test(arguments: ["0", "", " ", ","])
    func zeroOrEmptyValueAllowsOnlyPublicAddresses(text: String) throws {
        #expect(try AddressGuard(allowPrivate: text) == .standard)
    }

    @Test func oneAllowsEveryAddress() throws {
        let guarding = try AddressGuard(allowPrivate: "1")
        #expect(guarding == .allowingAll)
        #expect(try verdict(guarding, "169.254.169.254") == .allowed)
    }

    @Test func blocksAllowOnlyTheirAddresses() throws {
        let guarding = try AddressGuard(allowPrivate: "10.0.0.0/8, 127.0.0.1/32,::1,fd00::/8")
        #expect(try verdict(guarding, "10.255.0.1") == .allowed)
        #expect(try verdict(guarding, "127.0.0.1") == .allowed)
        #expect(try verdict(guarding, "127.0.0.2") == .refused(.loopback))
        #expect(try verdict(guarding, "::ffff:127.0.0.1") == .allowed)
        #expect(try verdict(guarding, "::1") == .allowed)
        #expect(try verdict(guarding, "fd12::1") == .allowed)
        #expect(try verdict(guarding, "fc12::1") == .refused(.uniqueLocal))
        #expect(try verdict(guarding, "192.168.0.1") == .refused(.privateUse))
    }

    @Test(arguments: ["yes", "2", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "::1/129", "10.0.0.0/", "1,10.0.0.0/8"])
    func invalidValueIsAConfigurationFailure(text: String) {
        let failure = #expect(throws: ConfigurationFailure.self) { try AddressGuard(allowPrivate: text) }
        #expect(failure?.message.contains("--allow-private") == true)
    }
}
