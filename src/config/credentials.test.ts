import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  commandVariables,
  configuredKeyNames,
  parseDotenv,
  pickEnvironment,
  storableEnvironment,
  withDotenv,
} from "./credentials.ts";
import { readIfThere } from "./read-file.ts";
import { type Folders, makeFolders } from "./testing/folders.ts";

describe("pickEnvironment", () => {
  const picked = pickEnvironment(
    {
      PATH: "/bin",
      LC_ALL: "C",
      HTTPS_PROXY: "http://p.test",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
      ANTHROPIC_API_KEY: "k1",
      CORP_API_KEY: "k2",
      CORP_PASS: "k3",
      AWS_SECRET_ACCESS_KEY: "s",
      GITHUB_TOKEN: "t",
      CONDA_TOKEN: "t",
      NODE_OPTIONS: "--require ./evil.js",
      LD_PRELOAD: "./evil.so",
      BASH_ENV: "evil",
      EMPTY: "",
      MISSING: undefined,
    },
    ["CORP_PASS"],
  );
  it("takes allow-listed variables and keeps keys apart", () => {
    expect(picked).toEqual({
      environment: {
        PATH: "/bin",
        LC_ALL: "C",
        HTTPS_PROXY: "http://p.test",
        ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
      },
      credentials: { ANTHROPIC_API_KEY: "k1", CORP_API_KEY: "k2", CORP_PASS: "k3" },
    });
  });
  it("commands get neither keys nor what lathe alone needs", () => {
    expect(commandVariables(picked.environment)).toEqual({ PATH: "/bin", LC_ALL: "C" });
  });
});

describe("a project's .env (E3, E5, H50)", () => {
  let folders: Folders;
  beforeEach(() => {
    folders = makeFolders();
  });
  afterEach(() => folders.remove());
  const lent = (environment: Record<string, string>, trusted = true) =>
    withDotenv(pickEnvironment(environment), { cwd: folders.cwd, trusted, readFile: readIfThere });

  it("gives keys and the model's name of a trusted folder, and nothing else", () => {
    folders.write(
      ".env",
      "# note\r\n\r\nDEMO_SECRET=envval-3141\nANTHROPIC_BASE_URL=http://127.0.0.1:9/evil\nNODE_OPTIONS=--require ./evil.js\nPATH=./evil\nANTHROPIC_AUTH_TOKEN=t\nANTHROPIC_API_KEY=a=b==\nMODEL_ID='m-1'\n",
    );
    expect(lent({})).toEqual({
      environment: { MODEL_ID: "m-1" },
      credentials: { ANTHROPIC_API_KEY: "a=b==" },
    });
    expect(lent({}, false)).toEqual({ environment: {}, credentials: {} });
  });

  it("is a fallback only: a set variable that is not empty wins", () => {
    folders.write(".env", "ANTHROPIC_API_KEY=file\nOPENAI_API_KEY=file\nMODEL_ID=file\n");
    expect(lent({ ANTHROPIC_API_KEY: "env", OPENAI_API_KEY: "", MODEL_ID: "env" })).toEqual({
      environment: { MODEL_ID: "env" },
      credentials: { ANTHROPIC_API_KEY: "env", OPENAI_API_KEY: "file" },
    });
  });

  it("is not needed", () =>
    expect(lent({ PATH: "/bin" })).toEqual({ environment: { PATH: "/bin" }, credentials: {} }));
});

it("parseDotenv splits at the first = and takes quotes off", () => {
  expect(parseDotenv('\uFEFFA=1\nexport B = "x y" \nC=a=b\n#D=1\n=x\nE\nF=')).toEqual([
    ["A", "1"],
    ["B", "x y"],
    ["C", "a=b"],
    ["F", ""],
  ]);
});

it("storableEnvironment keeps nothing that may hold a password", () => {
  expect(
    storableEnvironment({
      PATH: "/bin",
      HTTP_PROXY: "http://proxy.test:3128",
      HTTPS_PROXY: "http://me:pw@proxy.test",
      http_proxy: "me:pw@proxy.test:3128",
      ALL_PROXY: "socks5h://token@proxy.test",
      ANTHROPIC_CUSTOM_HEADERS: "authorization: x",
      GOFLAGS: "-tags=a@b",
    }),
  ).toEqual({ PATH: "/bin", HTTP_PROXY: "http://proxy.test:3128", GOFLAGS: "-tags=a@b" });
});

it("configuredKeyNames finds what providers of a config text name", () => {
  const text =
    '{ "models": { "providers": { "a": {"keyName": "CORP_PASS"}, // x\n "b": { "keyName" : "" } } } }';
  expect(configuredKeyNames(text)).toEqual(["CORP_PASS"]);
  expect(configuredKeyNames("{}")).toEqual([]);
});
