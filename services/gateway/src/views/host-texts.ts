import type { HostDocument, V2Host } from '@muster/assisted-api';
import { OBJECT_STORE } from '@muster/nest-kit';
import type { ObjectStore } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';

/**
 * Maximum total size of reported bodies in memory. A digest identifies the content, so cached bodies are never
 * outdated.
 */
const CACHE_MAX_BYTES = 64 * 1024 * 1024;
/** Larger bodies are read from the object store each time. */
const CACHED_BODY_MAX_BYTES = 4 * 1024 * 1024;

/** Bodies that hosts reported, by digest. */
@Injectable()
export class ReportedBodies {
  private readonly texts = new Map<string, string>();
  private cachedBytes = 0;

  constructor(@Inject(OBJECT_STORE) private readonly objectStore: ObjectStore) {}

  /** Returns undefined when nothing was reported, or when the body does not exist any more. */
  async text(digest: string | undefined): Promise<string | undefined> {
    if (!digest) return undefined;
    const known = this.texts.get(digest);
    if (known !== undefined) {
      // Moves the entry to the end: the first key of the map is the least recently used one.
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

/** Maximum total size of cached texts. A text is reused until the document of its host changes. */
const KEPT_MAX_BYTES = 128 * 1024 * 1024;

/** The members that change with every poll. */
interface SignOfLife {
  readonly checkedInAt: string;
  readonly timestamp: number | undefined;
}

interface KeptText {
  readonly document: HostDocument;
  readonly text: Buffer;
}

/**
 * Caches hosts as JSON, because most of a response about a cluster equals the previous one. The documents of the read
 * models are immutable, so the same object means the same host.
 */
export class HostTexts {
  private readonly kept = new Map<string, KeptText>();
  private keptBytes = 0;

  /** Returns the host as JSON in parts. The members that change with every poll are added at the end. */
  async of(
    document: HostDocument,
    variant: string,
    { checkedInAt, timestamp }: SignOfLife,
    present: () => Promise<V2Host>,
  ): Promise<readonly Buffer[]> {
    const key = `${document.infra_env_id}/${document.id}/${variant}`;
    const known = this.kept.get(key);
    const text = known?.document === document ? known.text : openText(await present());
    this.keep(key, { document, text });
    return [text, Buffer.from(`,${JSON.stringify({ checked_in_at: checkedInAt, timestamp }).slice(1)}`)];
  }

  /** Makes the entry the most recently used one, which is evicted last. */
  private keep(key: string, entry: KeptText): void {
    this.keptBytes += entry.text.length - (this.kept.get(key)?.text.length ?? 0);
    this.kept.delete(key);
    this.kept.set(key, entry);
    for (const [oldest, { text }] of this.kept) {
      if (this.keptBytes <= KEPT_MAX_BYTES || oldest === key) break;
      this.kept.delete(oldest);
      this.keptBytes -= text.length;
    }
  }
}

/** Returns the JSON of the host without the closing brace, so that members can be appended. */
function openText({ checked_in_at: _seen, timestamp: _clock, ...host }: V2Host): Buffer {
  return Buffer.from(JSON.stringify(host).slice(0, -1));
}
