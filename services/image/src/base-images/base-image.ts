import type { BootIsoLayout, ByteSource, MinimalIso } from '@muster/boot-image';
import type { OsImageEntry } from './os-image-catalogue';

/** A live image as it was built, ready to be customised. */
export interface BaseImage {
  readonly entry: OsImageEntry;
  readonly source: ByteSource;
  readonly layout: BootIsoLayout;
  /** Tells two builds apart. Hex. */
  readonly digest: string;
  /** When its file came to be what it is, in milliseconds since the epoch; 0 when nobody knows. */
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

/** Opens a file; the one thing this service asks of a file system for reading images. */
export type OpenImageFile = (path: string) => Promise<OpenedFile>;
export const OPEN_IMAGE_FILE = Symbol('OpenImageFile');
