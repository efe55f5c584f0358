import type { ByteSource } from '../byte-source';
import { concatBytes, latin1, uint32Le, utf8 } from '../binary';
import { SECTOR_BYTES } from './directory-record';

const CONTINUATIONS_MAX = 16;
const NAME_CONTINUES = 1;

/**
 * The long name that Rock Ridge gives a directory record, or undefined when there is none.
 * Damaged extension data is treated as absent: the ISO 9660 name remains usable without it.
 */
export async function rockRidgeName(source: ByteSource, systemUse: Uint8Array): Promise<string | undefined> {
  const nameParts: Uint8Array[] = [];
  let area: Uint8Array | undefined = systemUse;
  for (let hops = 0; area && hops <= CONTINUATIONS_MAX; hops += 1) {
    let continuation: Uint8Array | undefined;
    for (const entry of entriesOf(area)) {
      if (entry.signature === 'NM' && entry.data.length > 0) {
        const [flags = 0] = entry.data;
        nameParts.push(entry.data.subarray(1));
        if ((flags & NAME_CONTINUES) === 0) return decoded(nameParts);
      }
      if (entry.signature === 'CE' && entry.data.length >= 24) continuation = entry.data;
    }
    area = continuation && (await readContinuation(source, continuation));
  }
  return decoded(nameParts);
}

function decoded(parts: readonly Uint8Array[]): string | undefined {
  const name = utf8(concatBytes(parts));
  return name === '' || name.includes('/') || name.includes('\0') ? undefined : name;
}

/** All of a record's extension fields, also those that are stored elsewhere, without the references that lead there. */
export async function collectSystemUse(source: ByteSource, systemUse: Uint8Array): Promise<Uint8Array[]> {
  const fields: Uint8Array[] = [];
  let area: Uint8Array | undefined = systemUse;
  for (let hops = 0; area && hops <= CONTINUATIONS_MAX; hops += 1) {
    let continuation: Uint8Array | undefined;
    for (const { signature, data, field } of entriesOf(area)) {
      if (signature === 'CE' && data.length >= 24) continuation = data;
      else if (signature !== 'ST' && signature !== 'CE') fields.push(field);
    }
    area = continuation && (await readContinuation(source, continuation));
  }
  return fields;
}

function* entriesOf(area: Uint8Array): Generator<{ signature: string; data: Uint8Array; field: Uint8Array }> {
  for (let at = 0; at + 4 <= area.length;) {
    const length = area[at + 2] ?? 0;
    if (length < 4 || at + length > area.length) return;
    const field = area.subarray(at, at + length);
    yield { signature: latin1(field.subarray(0, 2)), data: field.subarray(4), field };
    at += length;
  }
}

/** Block, offset and length are stored in both byte orders, 8 bytes each. */
async function readContinuation(source: ByteSource, data: Uint8Array): Promise<Uint8Array | undefined> {
  const offset = uint32Le(data, 0) * SECTOR_BYTES + uint32Le(data, 8);
  const length = uint32Le(data, 16);
  return length > SECTOR_BYTES || offset + length > source.size ? undefined : source.read(offset, length);
}
