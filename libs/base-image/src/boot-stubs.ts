/** Where firmware loads a boot image without emulation, and where the table of the ISO writer in it ends. */
const LOAD_ADDRESS = 0x7c00;
const CODE_OFFSET = 64;
const SECTOR_BYTES = 2048;

/**
 * The BIOS boot image: prints one sentence and halts, so a real machine that boots the demonstration image shows the reason.
 * Leaves bytes 8 to 63 free, where the ISO writer puts its boot information table.
 */
export function biosStub(message: string): Uint8Array {
  const code = [
    ...[0xfa, 0x31, 0xc0, 0x8e, 0xd8, 0xfc], // interrupts off; data segment 0; forwards
    ...[0xbe, 0x00, 0x00], // si = message (address filled in below)
    ...[0xac, 0x84, 0xc0, 0x74, 0x09], // next character; stop at zero
    ...[0xb4, 0x0e, 0xbb, 0x07, 0x00, 0xcd, 0x10, 0xeb, 0xf2], // print it; again
    ...[0xf4, 0xeb, 0xfd], // halt for ever
  ];
  const messageAddress = LOAD_ADDRESS + CODE_OFFSET + code.length;
  code[7] = messageAddress & 0xff;
  code[8] = messageAddress >> 8;
  const bytes = new Uint8Array(SECTOR_BYTES);
  bytes.set([0xeb, CODE_OFFSET - 2]);
  bytes.set(code, CODE_OFFSET);
  bytes.set(new TextEncoder().encode(`${message}\r\n\0`), CODE_OFFSET + code.length);
  return bytes;
}

/** Recognisable bytes that do not compress to nothing and are the same every time. */
export function filler(label: string, lengthBytes: number): Uint8Array {
  const bytes = new Uint8Array(lengthBytes);
  let state = 0x2545f491;
  for (let index = 0; index < lengthBytes; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state & 0xff;
  }
  bytes.set(new TextEncoder().encode(`${label}\n`).subarray(0, lengthBytes));
  return bytes;
}
