import type { ByteSource } from '@muster/boot-image';
import type { Representation } from './representation';

/** Bytes as they will be sent, and what they keep occupied until `release`. */
export interface SentFile extends Representation {
  readonly source: ByteSource;
  /** What clients save it as; plain ASCII without quotes. */
  readonly fileName: string;
  release(): void;
}
