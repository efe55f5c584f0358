import { SECTOR_BYTES } from '../iso/directory-record';
import { roundUp } from '../binary';
import type { IsoDirectory, IsoFile } from './iso-tree';
import { childrenInOrder, type LaidOut } from './lay-out';
import { type Place, type ShapedRecord, writeRecord } from './shape-record';

const FLAG_MORE_EXTENTS = 128;

/** Writes all directories and what their records keep elsewhere into the front part of an image. */
export function writeDirectories(head: Uint8Array, laid: LaidOut, placesOf: (file: IsoFile) => readonly Place[]): void {
  const placeOfDirectory = new Map(laid.directories.map(({ directory, place }) => [directory, place]));
  const nowhere: Place = { sector: 0, length: 0 };
  for (const { directory, parent, place } of laid.directories) {
    let at = place.sector * SECTOR_BYTES;
    const put = (record: ShapedRecord, target: Place, moreFlags = 0): void => {
      if ((at % SECTOR_BYTES) + record.length > SECTOR_BYTES) at = roundUp(at, SECTOR_BYTES);
      head.set(writeRecord(record, target, moreFlags, laid.continuations.get(record) ?? 0, SECTOR_BYTES), at);
      at += record.length;
    };
    const [self, up] = laid.own.get(directory) ?? [];
    if (self) put(self, place);
    if (up) put(up, parent?.place ?? place);
    for (const child of childrenInOrder(directory)) {
      const record = laid.records.get(child);
      if (!record) continue;
      const targets = child.kind === 'file' ? placesOf(child) : [directoryPlace(child)];
      targets.forEach((target, index) => put(record, target, index < targets.length - 1 ? FLAG_MORE_EXTENTS : 0));
    }
  }
  for (const [{ outside }, offset] of laid.continuations) if (outside) head.set(outside, offset);

  function directoryPlace(directory: IsoDirectory): Place {
    return placeOfDirectory.get(directory) ?? nowhere;
  }
}
