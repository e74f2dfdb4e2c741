import { type Machine, syscallTable } from "./syscalls.ts";

const LOAD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const JUMP_EQUAL = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_GREATER_EQUAL = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const RETURN = 0x06; // BPF_RET | BPF_K

const ALLOW = 0x7fff0000;
const ERROR = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Offsets in struct seccomp_data; arguments are 64 bits, little endian, the low half first. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENT_0 = 16;
const ARGUMENT_1 = 24;

const X32_BIT = 0x40000000;

/** Terminal ioctls that type into, or paste to, a terminal. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: the rest (packet, vsock, kernel crypto, ...) is not for commands. */
const FAMILIES = [1, 2, 10, 16];

type Instruction = { code: number; k: number; yes?: number; no?: number };

/**
 * The seccomp program for `bwrap --seccomp`, as the kernel's array of 8-byte instructions. Other
 * architectures and the x32 ABI are answered with "not implemented".
 */
export function seccompProgram(machine: Machine): Buffer {
  const table = syscallTable(machine);
  const program: Instruction[] = [
    { code: LOAD, k: ARCHITECTURE },
    { code: JUMP_EQUAL, k: table.auditArch, yes: 1 },
    { code: RETURN, k: ERROR | ENOSYS },
    { code: LOAD, k: NUMBER },
    ...(machine === "x64" ? refuse(JUMP_GREATER_EQUAL, X32_BIT, ENOSYS) : []),
    ...table.absent.flatMap((number) => refuse(JUMP_EQUAL, number, ENOSYS)),
    ...table.denied.flatMap((number) => refuse(JUMP_EQUAL, number, EPERM)),
    ...guard(table.socket, [
      { code: LOAD, k: ARGUMENT_0 },
      ...FAMILIES.flatMap((family) => [
        { code: JUMP_EQUAL, k: family, no: 1 },
        { code: RETURN, k: ALLOW },
      ]),
      { code: RETURN, k: ERROR | EAFNOSUPPORT },
    ]),
    ...guard(table.ioctl, [
      { code: LOAD, k: ARGUMENT_1 },
      ...refuse(JUMP_EQUAL, TIOCSTI, EPERM),
      ...refuse(JUMP_EQUAL, TIOCLINUX, EPERM),
    ]),
    { code: RETURN, k: ALLOW },
  ];
  return encode(program);
}

const refuse = (jump: number, value: number, error: number): Instruction[] => [
  { code: jump, k: value, no: 1 },
  { code: RETURN, k: ERROR | error },
];

/** The block runs for one system call only; behind it the accumulator is not needed any more. */
const guard = (number: number, block: Instruction[]): Instruction[] => [
  { code: JUMP_EQUAL, k: number, no: block.length },
  ...block,
];

function encode(program: Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, k, yes = 0, no = 0 }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(k >>> 0, index * 8 + 4);
  }
  return bytes;
}
