import { canonicalHost } from "./canonical-host.ts";

const TYPE_A = 1;
const CLASS_IN = 1;
const NAME_ERROR = 3;
const FORMAT_ERROR = 1;
const TTL_S = 60;

/**
 * The answer to one DNS query: an address of ours for every plain name. Nothing is looked up, so no name leaves
 * before a connection to it was decided. Other types get an empty answer. `null` for what is no query.
 */
export function answerQuery(query: Buffer, addressFor: (name: string) => string): Buffer | null {
  if (query.length < 12 || (query[2] ?? 0) & 0x80) return null;
  const question = query.readUInt16BE(4) === 1 ? readQuestion(query) : null;
  if (question === null) return respond(query, query.subarray(12, 12), FORMAT_ERROR, null);
  const section = query.subarray(12, question.end);
  const host = canonicalHost(question.name);
  if (host === null || host.endsWith(".arpa")) return respond(query, section, NAME_ERROR, null);
  const isAddress = question.type === TYPE_A && question.class === CLASS_IN;
  return respond(query, section, 0, isAddress ? addressFor(host) : null);
}

type Question = { name: string; type: number; class: number; end: number };

function readQuestion(query: Buffer): Question | null {
  const labels: string[] = [];
  let at = 12;
  for (;;) {
    const length = query[at];
    if (length === undefined || length > 63 || at + 1 + length > query.length) return null;
    if (length === 0) break;
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  if (at + 5 > query.length) return null;
  const name = labels.some((label) => label.includes(".")) ? "" : labels.join(".");
  return { name, type: query.readUInt16BE(at + 1), class: query.readUInt16BE(at + 3), end: at + 5 };
}

function respond(query: Buffer, section: Buffer, code: number, address: string | null): Buffer {
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | ((query[2] ?? 0) & 1 ? 0x0100 : 0) | code, 2);
  header.writeUInt16BE(section.length > 0 ? 1 : 0, 4);
  header.writeUInt16BE(address === null ? 0 : 1, 6);
  if (address === null) return Buffer.concat([header, section]);
  const record = Buffer.alloc(16);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_IN, 4);
  record.writeUInt32BE(TTL_S, 6);
  record.writeUInt16BE(4, 10);
  record.set(address.split(".").map(Number), 12);
  return Buffer.concat([header, section, record]);
}
