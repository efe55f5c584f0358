import type { BootIsoLayout, ByteSource, MinimalIso } from '@muster/boot-image';
import type { OsImageEntry } from './os-image-catalogue';

/** A live image as it was built, ready to be customised. */
export interface BaseImage {
  readonly entry: OsImageEntry;
  readonly source: ByteSource;
  readonly layout: BootIsoLayout;
  /** Tells two builds apart. Hex. */
  readonly digest: string;
  /** Modification time of the file in milliseconds since 1970; 0 when it is unknown. */
  readonly modifiedMs: number;
  /** The same without its root file system, which machines fetch from this URL. Throws BootImageError. */
  minimal(rootfsUrl: string): Promise<MinimalIso>;
}

/** A base image for as long as it is needed; what is held is not evicted. */
export interface HeldBaseImage {
  readonly image: BaseImage;
  release(): void;
}

/** An opened file and when it was last written to. */
export interface OpenedFile extends ByteSource {
  readonly modifiedMs?: number;
  close(): Promise<void>;
}

/** Opens a file. Reading images needs no other file system operation. */
export type OpenImageFile = (path: string) => Promise<OpenedFile>;
export const OPEN_IMAGE_FILE = Symbol('OpenImageFile');
