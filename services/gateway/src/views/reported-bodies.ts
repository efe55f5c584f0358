import { Inject, Injectable } from '@nestjs/common';
import { OBJECT_STORE } from '@muster/nest-kit';
import type { ObjectStore } from '@muster/ports';

/** Bytes of reported bodies that are kept in memory; a digest never changes its meaning, so they cannot become stale. */
const CACHE_MAX_BYTES = 64 * 1024 * 1024;
/** Larger bodies are read from the object store each time. */
const CACHED_BODY_MAX_BYTES = 4 * 1024 * 1024;

/** Texts that hosts reported, by digest. */
@Injectable()
export class ReportedBodies {
  private readonly texts = new Map<string, string>();
  private cachedBytes = 0;

  constructor(@Inject(OBJECT_STORE) private readonly objectStore: ObjectStore) {}

  /** Undefined when nothing was reported, or the body is gone. */
  async text(digest: string | undefined): Promise<string | undefined> {
    if (!digest) return undefined;
    const known = this.texts.get(digest);
    if (known !== undefined) {
      // Moves to the end: the first key of the map is the one that was used longest ago.
      this.texts.delete(digest);
      this.texts.set(digest, known);
      return known;
    }
    const text = (await this.objectStore.get(digest))?.toString('utf8');
    if (text !== undefined) this.keep(digest, text);
    return text;
  }

  private keep(digest: string, text: string): void {
    if (text.length > CACHED_BODY_MAX_BYTES || this.texts.has(digest)) return;
    this.texts.set(digest, text);
    this.cachedBytes += text.length;
    for (const [oldest, body] of this.texts) {
      if (this.cachedBytes <= CACHE_MAX_BYTES) break;
      this.texts.delete(oldest);
      this.cachedBytes -= body.length;
    }
  }
}
