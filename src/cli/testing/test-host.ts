import { PassThrough, Readable, Writable } from "node:stream";
import type { Client } from "../../client/client.ts";
import { lathePaths } from "../../config/paths.ts";
import type { CliHost } from "../host.ts";

export type TestHost = CliHost & { out(): string; err(): string };

/** A host whose streams are in memory and whose ids count up. */
export function testHost(given: Partial<CliHost> & { input?: string | Buffer | Readable } = {}): TestHost {
  const { input, ...rest } = given;
  const text = { out: "", err: "" };
  const sink = (name: keyof typeof text): Writable =>
    new Writable({
      write(chunk, _, done) {
        text[name] += String(chunk);
        done();
      },
    });
  let id = 0;
  return {
    version: "1.2.3",
    args: [],
    cwd: "/w",
    environment: {},
    paths: lathePaths({ environment: {}, home: "/nowhere", uid: 1 }),
    stdin: streamOf(input),
    stdout: sink("out"),
    stderr: sink("err"),
    now: () => 1000,
    command: "lathe",
    newId: () => `id-${++id}`,
    connect: () => Promise.reject(new Error("there is no daemon in this test")) as Promise<Client>,
    onSignal: () => () => undefined,
    ...rest,
    out: () => text.out,
    err: () => text.err,
  };
}

function streamOf(input: string | Buffer | Readable | undefined): Readable {
  if (input instanceof Readable) return input;
  const stream = new PassThrough();
  stream.end(input ?? "");
  return stream;
}
