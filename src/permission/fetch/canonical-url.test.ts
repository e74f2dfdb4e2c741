import { describe, expect, it } from "vitest";
import { decide } from "../decide.ts";
import { allowsDomain, deniesDomain } from "../rules/match-domain.ts";
import { fetchUrl, rule } from "../test-support/request.ts";
import { canonicalUrl } from "./canonical-url.ts";

describe("canonicalUrl", () => {
  it.each([
    ["https://Example.TEST./a?b#c", "example.test"],
    ["http://1.1.1.1:8080/", "1.1.1.1"],
    ["https://xn--bcher-kva.test/", "xn--bcher-kva.test"],
    ["https://a.test/@b%20c", "a.test"],
  ])("takes %s", (url, host) => expect(canonicalUrl(url)).toMatchObject({ ok: true, host, private: false }));

  it.each([
    "https://evil.test\\@a.test/",
    "https://a.test@evil.test/",
    "https://user:pw@a.test/",
    "https://a..test/",
    "https://.a.test/",
    "https://bücher.test/",
    "https://ａ.test/",
    "https://a%2etest/",
    "https://a.test /",
    "https://a.test\u0000/",
    "\nhttps://a.test/",
    "file:///etc/passwd",
    "ftp://a.test/",
    "data:text/plain,x",
    "javascript:1",
    "a.test",
    "",
  ])("refuses %j", (url) => expect(canonicalUrl(url).ok).toBe(false));

  it.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://0.0.0.0/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest",
    "http://100.64.0.1/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[fc00::1]/",
    "http://[fe80::1]/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://a.localhost/",
    "http://metadata.google.internal/",
    "http://printer.local/",
    "http://intranet/",
  ])("knows %s as private", (url) => {
    expect(canonicalUrl(url)).toMatchObject({ ok: true, private: true });
    for (const text of ["WebFetch", "WebFetch(domain:*)", "WebFetch(domain:*.localhost)", "*"]) {
      expect(decide(fetchUrl(url, "bypass", [rule("allow", text)])).type, text).toBe("deny");
    }
  });

  it("a rule that names a private host opens it", () => {
    expect(
      decide(fetchUrl("http://localhost:3000/", "ask", [rule("allow", "fetch(domain:localhost)")])).type,
    ).toBe("allow");
    expect(decide(fetchUrl("http://127.1/", "ask", [rule("allow", "fetch(domain:127.0.0.1)")])).type).toBe(
      "allow",
    );
  });
});

describe("domains", () => {
  it("are compared by label", () => {
    expect(allowsDomain("domain:a.test", "a.test", false)).toBe(true);
    for (const host of ["evil-a.test", "b.a.test", "a.test.evil", "xa.test"])
      expect(allowsDomain("domain:a.test", host, false)).toBe(false);
    expect(allowsDomain("domain:*.a.test", "b.a.test", false)).toBe(true);
    for (const host of ["a.test", "ba.test"])
      expect(allowsDomain("domain:*.a.test", host, false)).toBe(false);
  });
  it("a denied name covers the names below it", () => {
    for (const host of ["a.test", "b.a.test"]) expect(deniesDomain("domain:a.test", host)).toBe(true);
    expect(deniesDomain("domain:a.test", "ba.test")).toBe(false);
    expect(decide(fetchUrl("https://x.a.test/", "bypass", [rule("deny", "fetch(domain:a.test)")])).type).toBe(
      "deny",
    );
  });
});
