import { describe, expect, it } from "vitest";
import { expandGroups } from "../../protocol/domain-groups.ts";
import { createAddressJudge } from "./addresses.ts";
import { canonicalHost, splitAuthority } from "./canonical-host.ts";
import { type Asker, decideConnection, type GatePolicy } from "./decide.ts";
import { answerQuery } from "./dns.ts";
import { domainMatches } from "./match-domain.ts";

describe("canonicalHost", () => {
  it.each([
    ["Example.COM", "example.com"],
    ["example.com.", "example.com"],
    ["127.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["0x7f000001", "127.0.0.1"],
    ["0177.0.0.1", "127.0.0.1"],
    ["[::1]", "::1"],
    ["[::FFFF:127.0.0.1]", "::ffff:7f00:1"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["a_b.example", "a_b.example"],
  ])("%s is %s", (raw, expected) => expect(canonicalHost(raw)).toBe(expected));

  it.each([
    "",
    ".",
    "a..b",
    "a.b..",
    ".a.b",
    "evil.test\0.corp.test",
    "a b",
    "a%2eb",
    "user@host",
    "host/path",
    "host#x",
    "bücher.example",
    "a\tb",
    "[::1%25eth0]",
    "::1",
    "example.123",
    "x".repeat(300),
  ])("refuses %j", (raw) => expect(canonicalHost(raw)).toBeNull());

  it("splits authorities and nothing else", () => {
    expect(splitAuthority("a.b:443", null)).toEqual({ host: "a.b", port: 443 });
    expect(splitAuthority("[::1]:80", null)).toEqual({ host: "[::1]", port: 80 });
    expect(splitAuthority("a.b", 80)).toEqual({ host: "a.b", port: 80 });
    for (const bad of ["a.b", "a.b:0", "a.b:70000", "a:1:2", "a.b:"])
      expect(splitAuthority(bad, null)).toBeNull();
  });
});

describe("domainMatches", () => {
  it.each([
    ["api.corp.test", "*.corp.test", true],
    ["a.b.corp.test", "*.corp.test", true],
    ["corp.test", "*.corp.test", false],
    ["evilcorp.test", "*.corp.test", false],
    ["allowed.test.evil.test", "allowed.test", false],
    ["sub.allowed.test", "allowed.test", false],
    ["allowed.test", "Allowed.Test.", true],
    ["anything.test", "*", true],
  ])("%s against %s: %s", (host, entry, expected) => expect(domainMatches(host, entry)).toBe(expected));
});

describe("addresses", () => {
  const judge = createAddressJudge(["10.1.0.0/16"], ["93.184.216.34"]);
  it.each([
    ["127.0.0.1", false],
    ["10.0.0.1", false],
    ["10.1.2.3", true],
    ["169.254.169.254", false],
    ["168.63.129.16", false],
    ["100.100.100.200", false],
    ["192.168.1.1", false],
    ["0.0.0.0", false],
    ["224.0.0.1", false],
    ["255.255.255.255", false],
    ["93.184.216.34", false],
    ["8.8.8.8", true],
    ["::1", false],
    ["::", false],
    ["::ffff:127.0.0.1", false],
    ["::ffff:10.1.2.3", true],
    ["64:ff9b::7f00:1", false],
    ["2002:7f00:1::", false],
    ["fd00:ec2::254", false],
    ["fe80::1", false],
    ["2606:4700::1111", true],
    ["not an address", false],
  ])("%s may be dialled: %s", (address, expected) => expect(judge.mayDial(address)).toBe(expected));
});

describe("decideConnection", () => {
  const gate = (more: Partial<GatePolicy> = {}): GatePolicy => ({
    type: "gate",
    allow: ["allowed.test", "*.corp.test"],
    deny: ["secret.corp.test"],
    hosts: {},
    privateAddresses: [],
    ...more,
  });
  const lookups: string[] = [];
  const decide = (host: string, policy = gate(), ask?: Asker, answers = new Map()) =>
    decideConnection(host, 443, {
      policy,
      ask,
      answers,
      command: "curl",
      resolver: {
        resolve: (name) => {
          lookups.push(name);
          return Promise.resolve(name === "private.corp.test" ? ["10.0.0.1"] : ["8.8.8.8"]);
        },
      },
    });

  it("allows by list and gives the address to dial", async () => {
    expect(await decide("API.corp.test.")).toMatchObject({
      allow: true,
      host: "api.corp.test",
      addresses: ["8.8.8.8"],
    });
  });

  it("denies first, and looks nothing up that it denies", async () => {
    lookups.length = 0;
    expect(await decide("secret.CORP.test.")).toMatchObject({ allow: false, denied: true });
    expect(await decide("other.test")).toMatchObject({ allow: false, denied: true });
    expect(
      await decide("localhost", gate(), () => Promise.resolve({ allow: true, reason: "" })),
    ).toMatchObject({
      allow: false,
    });
    expect(lookups).toEqual([]);
  });

  it("refuses private addresses behind allowed names, and literals, unless listed", async () => {
    expect(await decide("private.corp.test")).toMatchObject({ allow: false, denied: true });
    expect(await decide("127.0.0.1", gate({ allow: ["*"] }))).toMatchObject({ allow: false, denied: true });
    expect(await decide("8.8.4.4", gate({ allow: ["*"] }))).toMatchObject({ allow: false, denied: true });
    const listed = gate({ allow: ["10.0.0.1", "private.corp.test"], privateAddresses: ["10.0.0.0/8"] });
    expect(await decide("10.0.0.1", listed)).toMatchObject({ allow: true, addresses: ["10.0.0.1"] });
    expect(await decide("private.corp.test", listed)).toMatchObject({ allow: true });
    const pinned = gate({ allow: ["db.dev"], hosts: { "db.dev": "10.9.9.9" } });
    expect(await decide("db.dev", pinned)).toMatchObject({ allow: true, addresses: ["10.9.9.9"] });
  });

  it("asks once per domain and command, also for many at once", async () => {
    const asked: string[] = [];
    const ask: Asker = ({ domain, port, command }) => {
      asked.push(`${domain}:${port} ${command}`);
      return Promise.resolve({ allow: domain === "new.test", reason: "said so" });
    };
    const answers = new Map();
    const all = await Promise.all(
      ["new.test", "NEW.test", "no.test", "no.test"].map((one) => decide(one, gate(), ask, answers)),
    );
    expect(all.map((one) => one.allow)).toEqual([true, true, false, false]);
    expect(asked).toEqual(["new.test:443 curl", "no.test:443 curl"]);
  });

  it("knows groups by one name", () => {
    expect(expandGroups(["npm", "a.test"])).toEqual(expect.arrayContaining(["*.npmjs.org", "a.test"]));
    expect(expandGroups(["a.test"])).toEqual(["a.test"]);
  });
});

describe("answerQuery", () => {
  const query = (name: string, type: number): Buffer =>
    Buffer.concat([
      Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
      ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
      Buffer.from([0, 0, type, 0, 1]),
    ]);
  const answer = (name: string, type: number): Buffer =>
    answerQuery(query(name, type), () => "127.77.1.1") ?? Buffer.alloc(0);

  it("gives its own address for any plain name", () => {
    const reply = answer("db.example.test", 1);
    expect(reply.readUInt16BE(0)).toBe(0x1234);
    expect(reply.readUInt16BE(6)).toBe(1);
    expect([...reply.subarray(-4)]).toEqual([127, 77, 1, 1]);
  });

  it("gives no address for other types, names that are none, and no answer to answers", () => {
    expect(answer("db.example.test", 28).readUInt16BE(6)).toBe(0);
    expect((answer("1.0.0.127.in-addr.arpa", 12)[3] ?? 0) & 15).toBe(3);
    expect((answer("bad host", 1)[3] ?? 0) & 15).toBe(3);
    expect(answerQuery(Buffer.from([1, 2, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0]), () => "")).toBeNull();
    expect(answerQuery(Buffer.from([1, 2]), () => "")).toBeNull();
    const cut = query("db.example.test", 1).subarray(0, 20);
    expect((answerQuery(cut, () => "")?.[3] ?? 0) & 15).toBe(1);
  });
});
