import type { OsImage } from '@muster/assisted-api';
import type { BootIsoLayout, ByteSource } from '@muster/boot-image';

/** A live image as it was built, ready to be customised. */
export interface BaseImage {
  readonly entry: OsImage;
  readonly source: ByteSource;
  readonly layout: BootIsoLayout;
  /** Tells two builds apart. Hex. */
  readonly digest: string;
}

/** Opens a file; the one thing this service asks of a file system. */
export type OpenImageFile = (path: string) => Promise<ByteSource & { close(): Promise<void> }>;
export const OPEN_IMAGE_FILE = Symbol('OpenImageFile');
