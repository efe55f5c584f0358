import { concatBytes, setUint32Be, setUint32Le } from '../binary';
import type { LaidOut } from './lay-out';

const FIXED_BYTES = 8;

/** The list of all directories that old readers use, once in each byte order. */
export function pathTables({ directories }: LaidOut): { readonly little: Uint8Array; readonly big: Uint8Array } {
  const [little, big] = [true, false].map((isLittle) =>
    concatBytes(
      directories.map(({ directory, parent, place }) => {
        const { identifier } = directory;
        const record = new Uint8Array(FIXED_BYTES + identifier.length + (identifier.length % 2));
        record[0] = identifier.length;
        (isLittle ? setUint32Le : setUint32Be)(record, 2, place.sector);
        const number = parent?.number ?? 1;
        record.set(isLittle ? [number & 0xff, number >> 8] : [number >> 8, number & 0xff], 6);
        for (let index = 0; index < identifier.length; index += 1)
          record[FIXED_BYTES + index] = identifier.charCodeAt(index);
        return record;
      }),
    ),
  );
  return { little: little ?? new Uint8Array(), big: big ?? new Uint8Array() };
}
