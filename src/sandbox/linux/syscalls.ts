/** Machines that the filter is made for, by Node's `process.arch`. */
export type Machine = "x64" | "arm64";

/** Kernel interfaces that nothing inside needs and that reach out of a namespace or widen the attack surface. */
const DENIED = {
  x64: {
    vhangup: 153,
    pivot_root: 155,
    acct: 163,
    settimeofday: 164,
    mount: 165,
    umount2: 166,
    swapon: 167,
    swapoff: 168,
    reboot: 169,
    iopl: 172,
    ioperm: 173,
    init_module: 175,
    delete_module: 176,
    quotactl: 179,
    lookup_dcookie: 212,
    clock_settime: 227,
    kexec_load: 246,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    perf_event_open: 298,
    open_by_handle_at: 304,
    setns: 308,
    process_vm_readv: 310,
    process_vm_writev: 311,
    kcmp: 312,
    finit_module: 313,
    kexec_file_load: 320,
    bpf: 321,
    userfaultfd: 323,
  },
  arm64: {
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    vhangup: 58,
    quotactl: 60,
    acct: 89,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    clock_settime: 112,
    reboot: 142,
    settimeofday: 170,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    swapon: 224,
    swapoff: 225,
    perf_event_open: 241,
    open_by_handle_at: 265,
    setns: 268,
    process_vm_readv: 270,
    process_vm_writev: 271,
    kcmp: 272,
    finit_module: 273,
    bpf: 280,
    userfaultfd: 282,
    kexec_file_load: 294,
  },
} as const;

/** Numbers that all machines share (from 424 on). */
const DENIED_EVERYWHERE = {
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  mount_setattr: 442,
  open_tree_attr: 467,
} as const;

/** Answered with "not implemented", so that programs fall back to ordinary calls. */
const ABSENT_EVERYWHERE = { io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427 } as const;

export type SyscallTable = {
  /** AUDIT_ARCH_* of the kernel. */
  auditArch: number;
  ioctl: number;
  socket: number;
  denied: readonly number[];
  absent: readonly number[];
};

export function syscallTable(machine: Machine): SyscallTable {
  const own = machine === "x64" ? { ioctl: 16, socket: 41 } : { ioctl: 29, socket: 198 };
  return {
    ...own,
    auditArch: machine === "x64" ? 0xc000003e : 0xc00000b7,
    denied: [...Object.values(DENIED[machine]), ...Object.values(DENIED_EVERYWHERE)],
    absent: Object.values(ABSENT_EVERYWHERE),
  };
}
