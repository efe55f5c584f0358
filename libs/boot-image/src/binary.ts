/** Callers check lengths first: a read beyond the end is a bug in this library, not a damaged image. */
export function uint32Le(bytes: Uint8Array, at: number): number {
  return view(bytes).getUint32(at, true);
}

export function uint16Le(bytes: Uint8Array, at: number): number {
  return view(bytes).getUint16(at, true);
}

/** Returns undefined when the value cannot be a position, because JavaScript numbers are exact up to 2^53 only. */
export function uint64Le(bytes: Uint8Array, at: number): number | undefined {
  const value = Number(view(bytes).getBigUint64(at, true));
  return Number.isSafeInteger(value) ? value : undefined;
}

export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

export function utf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

export function utf8Bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function startsWith(bytes: Uint8Array, magic: readonly number[], at = 0): boolean {
  return at + magic.length <= bytes.length && magic.every((byte, index) => bytes[at + index] === byte);
}

export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** Returns the smallest multiple of `unit` that is at least `value`. */
export function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function setUint32Le(bytes: Uint8Array, at: number, value: number): void {
  view(bytes).setUint32(at, value, true);
}

export function setUint32Be(bytes: Uint8Array, at: number, value: number): void {
  view(bytes).setUint32(at, value, false);
}

export function setUint64Le(bytes: Uint8Array, at: number, value: number): void {
  view(bytes).setBigUint64(at, BigInt(value), true);
}

/** Writes the value in both byte orders, as numbers of ISO 9660. */
export function setBoth32(bytes: Uint8Array, at: number, value: number): void {
  setUint32Le(bytes, at, value);
  setUint32Be(bytes, at + 4, value);
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
