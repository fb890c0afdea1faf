//! The XDP program that gives a device's frames to an AF_XDP socket, loaded through bpf(2).
//!
//! Commands, structures and numbers are those of the kernel's include/uapi/linux/bpf.h and if_link.h; the instructions those of
//! Documentation/bpf/standardization/instruction-set.rst.

use std::ffi::{c_long, c_uint};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::Unavailable;

const BPF_MAP_CREATE: c_long = 0;
const BPF_MAP_UPDATE_ELEM: c_long = 2;
const BPF_PROG_LOAD: c_long = 5;
const BPF_LINK_CREATE: c_long = 28;
const BPF_MAP_TYPE_XSKMAP: u32 = 17;
const BPF_PROG_TYPE_XDP: u32 = 6;
/// The attach type of `BPF_LINK_CREATE`.
const BPF_XDP: u32 = 37;
/// The generic hook, which every device has.
const XDP_FLAGS_SKB_MODE: u32 = 1 << 1;
/// What the program answers where the map has no socket for a queue: the frame goes the kernel's way.
const XDP_PASS: i32 = 2;
/// The helper `bpf_redirect_map`.
const BPF_REDIRECT_MAP: i32 = 51;
/// Offset of `rx_queue_index` in `struct xdp_md`.
const RX_QUEUE_INDEX: i16 = 16;

/// Holds the program on its device: closing the link detaches it.
#[derive(Debug)]
pub(super) struct Redirect {
    // The link keeps the program, the program its map, the map the socket's entry.
    _link: OwnedFd,
}

/// `struct bpf_insn`.
#[repr(C)]
struct Instruction {
    code: u8,
    /// Destination in the low four bits, source in the high ones.
    registers: u8,
    offset: i16,
    immediate: i32,
}

#[repr(C)]
struct MapCreate {
    map_type: u32,
    key_size: u32,
    value_size: u32,
    max_entries: u32,
}

#[repr(C)]
struct MapUpdate {
    map_fd: u32,
    padding: u32,
    key: u64,
    value: u64,
    flags: u64,
}

#[repr(C)]
struct ProgramLoad {
    program_type: u32,
    instruction_count: u32,
    instructions: u64,
    license: u64,
}

#[repr(C)]
struct LinkCreate {
    program_fd: u32,
    target_ifindex: u32,
    attach_type: u32,
    flags: u32,
}

impl Redirect {
    /// Gives what comes on `queue` of the device to `socket`.
    pub(super) fn attach(ifindex: u32, queue: u32, socket: RawFd) -> Result<Self, Unavailable> {
        let map = create_map(queue + 1).map_err(Unavailable::of("a BPF map"))?;
        put_socket(&map, queue, socket)
            .map_err(Unavailable::of("an AF_XDP socket in a BPF map"))?;
        let program = load(&map).map_err(Unavailable::of("to load an XDP program"))?;
        let link = LinkCreate {
            program_fd: of_fd(program.as_raw_fd()),
            target_ifindex: ifindex,
            attach_type: BPF_XDP,
            flags: XDP_FLAGS_SKB_MODE,
        };
        // SAFETY: LinkCreate is the part of `union bpf_attr` for this command, and has no pointers.
        let link = unsafe { bpf_fd(BPF_LINK_CREATE, &link) };
        Ok(Self {
            _link: link.map_err(Unavailable::of("to attach an XDP program to a device"))?,
        })
    }
}

/// A map from a queue's index to a socket.
fn create_map(queues: u32) -> io::Result<OwnedFd> {
    let map = MapCreate {
        map_type: BPF_MAP_TYPE_XSKMAP,
        key_size: 4,
        value_size: 4,
        max_entries: queues,
    };
    // SAFETY: MapCreate is the part of `union bpf_attr` for this command, and has no pointers.
    unsafe { bpf_fd(BPF_MAP_CREATE, &map) }
}

fn put_socket(map: &OwnedFd, queue: u32, socket: RawFd) -> io::Result<()> {
    let value = of_fd(socket);
    let entry = MapUpdate {
        map_fd: of_fd(map.as_raw_fd()),
        padding: 0,
        key: address(&raw const queue),
        value: address(&raw const value),
        flags: 0,
    };
    // SAFETY: MapUpdate is the part of `union bpf_attr` for this command; key and value are the four bytes each that the map has, and live until the call returns.
    unsafe { bpf(BPF_MAP_UPDATE_ELEM, &entry) }.map(drop)
}

/// Loads `return bpf_redirect_map(&map, context->rx_queue_index, XDP_PASS);`.
fn load(map: &OwnedFd) -> io::Result<OwnedFd> {
    const fn instruction(code: u8, registers: u8, offset: i16, immediate: i32) -> Instruction {
        Instruction {
            code,
            registers,
            offset,
            immediate,
        }
    }
    let program = [
        instruction(0x61, 0x12, RX_QUEUE_INDEX, 0), // r2 = *(u32 *)(r1 + 16)
        instruction(0x18, 0x11, 0, map.as_raw_fd()), // r1 = the map of this descriptor: a load of 64 bits,
        instruction(0, 0, 0, 0),                     // which takes two instructions
        instruction(0xb7, 0x03, 0, XDP_PASS),        // r3 = XDP_PASS
        instruction(0x85, 0, 0, BPF_REDIRECT_MAP),   // call
        instruction(0x95, 0, 0, 0),                  // return r0
    ];
    let load = ProgramLoad {
        program_type: BPF_PROG_TYPE_XDP,
        instruction_count: program.len() as u32,
        instructions: address(program.as_ptr()),
        license: address(c"Apache-2.0".as_ptr()),
    };
    // SAFETY: ProgramLoad is the part of `union bpf_attr` for this command; instructions and licence live until the call returns. The kernel verifies the program.
    unsafe { bpf_fd(BPF_PROG_LOAD, &load) }
}

/// A descriptor as bpf(2) takes it; one that is open is not negative.
const fn of_fd(fd: RawFd) -> u32 {
    fd.cast_unsigned()
}

fn address<T>(pointer: *const T) -> u64 {
    pointer.expose_provenance() as u64
}

/// bpf(2): what it returns.
///
/// # Safety
/// `attributes` is the part of `union bpf_attr` that `command` reads, without padding, and its pointers are good until the call returns.
unsafe fn bpf<T>(command: c_long, attributes: &T) -> io::Result<c_long> {
    let size = size_of::<T>() as c_uint;
    // SAFETY: the caller's promise.
    let answer = unsafe { libc::syscall(libc::SYS_bpf, command, &raw const *attributes, size) };
    match answer {
        0.. => Ok(answer),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The same of a command that opens a descriptor.
///
/// # Safety
/// As [`bpf`]'s, and `command` returns a new descriptor.
unsafe fn bpf_fd<T>(command: c_long, attributes: &T) -> io::Result<OwnedFd> {
    // SAFETY: the caller's promise.
    let fd = unsafe { bpf(command, attributes) }?;
    let fd = RawFd::try_from(fd).map_err(io::Error::other)?;
    // SAFETY: the kernel has just opened it, for this call alone.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
