import { malformed } from '../boot-image.error';
import { latin1 } from '../binary';
import { sliceSource } from '../segmented-source';
import type { ByteSource } from '../byte-source';
import type { DirectoryRecord } from '../iso/directory-record';
import { toEntry } from '../iso/iso-entry';
import type { IsoImage } from '../iso/iso-image';
import { readRecords } from '../iso/read-directory';
import { collectSystemUse, rockRidgeName } from '../iso/rock-ridge';

const DEPTH_MAX = 8;
const NODES_MAX = 10_000;
const FLAG_MORE_EXTENTS = 128;
/** Directories that Rock Ridge moved because they were too deep; live images have none. */
const RELOCATIONS: readonly string[] = ['CL', 'PL', 'RE'];

/** What a directory record says beside where the bytes are. */
export interface RecordShape {
  /** As stored, version included: `KARGS.JSO;1`. */
  readonly identifier: string;
  readonly flags: number;
  /** 7 bytes. */
  readonly recordedAt: Uint8Array;
  /** Rock Ridge and other extension fields, each whole. */
  readonly systemUse: readonly Uint8Array[];
}

export interface IsoFile extends RecordShape {
  readonly kind: 'file';
  readonly name: string;
  /** One, except for files above 4 GiB. */
  readonly parts: readonly FilePart[];
}

export interface FilePart {
  readonly content: ByteSource;
  /** Where these bytes are in the image that was read; absent for new ones. */
  readonly originalOffset?: number;
}

export interface IsoDirectory extends RecordShape {
  readonly kind: 'directory';
  readonly name: string;
  readonly self: RecordShape;
  readonly parent: RecordShape;
  readonly children: readonly IsoNode[];
}

export type IsoNode = IsoFile | IsoDirectory;

/** All directories of an image with everything their records say. Throws `malformed`. */
export async function readIsoTree(image: IsoImage): Promise<IsoDirectory> {
  const { source } = image;
  let seen = 0;
  const shape = async ({ identifier, flags, recordedAt, systemUse }: DirectoryRecord): Promise<RecordShape> => {
    const fields = await collectSystemUse(source, systemUse);
    if (fields.some((field) => RELOCATIONS.includes(latin1(field.subarray(0, 2)))))
      throw malformed('the file system', 'relocated directories, which cannot be written again');
    return {
      identifier,
      flags: flags & ~FLAG_MORE_EXTENTS,
      recordedAt: Uint8Array.from(recordedAt),
      systemUse: fields,
    };
  };
  const readChildren = async (directory: ReturnType<typeof toEntry>, own: RecordShape, name: string, depth: number) => {
    if (depth > DEPTH_MAX) throw malformed(name, `more than ${DEPTH_MAX} directories deep`);
    const records = await readRecords(source, directory);
    const [selfRecord, parentRecord] = records;
    if (!selfRecord?.isSelfOrParent || !parentRecord?.isSelfOrParent)
      throw malformed(name === '' ? 'the root directory' : name, 'it does not begin with itself and its parent');
    const children: IsoNode[] = [];
    let pending: DirectoryRecord[] = [];
    for (const record of records.slice(2)) {
      seen += 1;
      if (seen > NODES_MAX) throw malformed('the file system', `more than ${NODES_MAX} entries`);
      pending.push(record);
      if (record.hasMoreExtents) continue;
      children.push(await readNode(record, pending, depth));
      pending = [];
    }
    const [self, parent] = [await shape(selfRecord), await shape(parentRecord)];
    return { ...own, kind: 'directory', name, self, parent, children } satisfies IsoDirectory;
  };
  const readNode = async (
    record: DirectoryRecord,
    parts: readonly DirectoryRecord[],
    depth: number,
  ): Promise<IsoNode> => {
    const name = (await rockRidgeName(source, record.systemUse)) ?? record.isoName;
    const own = await shape(record);
    if (record.isDirectory) return readChildren(toEntry(name, [record]), own, name, depth + 1);
    return {
      ...own,
      kind: 'file',
      name,
      parts: parts.map(({ offset, length }) => ({
        content: sliceSource(source, length === 0 ? 0 : offset, length),
        originalOffset: offset,
      })),
    };
  };
  const root: RecordShape = { identifier: '\0', flags: 2, recordedAt: new Uint8Array(7), systemUse: [] };
  return readChildren(image.root, root, '', 0);
}
