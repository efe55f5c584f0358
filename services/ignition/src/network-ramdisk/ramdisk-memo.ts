import { createHash } from 'node:crypto';
import { createRamdisk, type RamdiskFile } from '@muster/boot-image';

/** Archives that are remembered; each is smaller than 1 MiB, as it has to fit into a minimal image. */
export const REMEMBERED_RAMDISKS_MAX = 64;

/** The archives of files that were asked for last: a thousand machines of one infra-env boot from bytes that were packed once. */
export class RamdiskMemo {
  /** By digest of their files, which may name credentials of a proxy; those asked for longest ago first. */
  private readonly archives = new Map<string, Uint8Array>();

  constructor(private readonly pack: (files: readonly RamdiskFile[]) => Uint8Array = createRamdisk) {}

  /** Returns an empty archive when there are no files. Callers must not modify it. */
  archiveOf(files: readonly RamdiskFile[]): Uint8Array {
    if (files.length === 0) return new Uint8Array();
    const key = createHash('sha256').update(JSON.stringify(files)).digest('base64');
    const archive = this.archives.get(key) ?? this.pack(files);
    this.archives.delete(key);
    this.archives.set(key, archive);
    if (this.archives.size > REMEMBERED_RAMDISKS_MAX) this.forgetOldest();
    return archive;
  }

  private forgetOldest(): void {
    const [oldest] = this.archives.keys();
    if (oldest !== undefined) this.archives.delete(oldest);
  }
}
