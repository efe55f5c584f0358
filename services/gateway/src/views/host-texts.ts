import type { HostDocument, V2Host } from '@muster/assisted-api';
import { BoundedMap } from '@muster/event-sourcing';
import { OBJECT_STORE } from '@muster/nest-kit';
import { KeyedQueue, type ObjectStore } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import { type JsonPiece, sizeOf, UNCOPIED_MIN_BYTES } from '../http/file-answers';
import { KeptTexts } from './kept-texts';
import { RenderTurns } from './render-turns';

const MIB = 1024 * 1024;

/**
 * Maximum total size of reported bodies in memory. A digest identifies the content, so cached bodies are never
 * outdated.
 */
const TEXTS_MAX_BYTES = 48 * MIB;
/** The connectivity of 500 hosts to each other is 100 MiB. */
const MEMBERS_MAX_BYTES = 112 * MIB;
/**
 * Members that are rendered at the same time. The reports of all hosts of a large cluster would fill the memory while they wait for their
 * turn, and each takes a part of a turn when it has been read.
 */
const RENDERED_AT_ONCE = 8;
/** Larger bodies are read from the object store each time. */
const CACHED_BODY_MAX_BYTES = 4 * MIB;

/** Bodies that hosts reported, by digest. */
@Injectable()
export class ReportedBodies {
  private readonly texts = new BoundedMap<string, string>(TEXTS_MAX_BYTES);
  private readonly members = new BoundedMap<string, JsonPiece>(MEMBERS_MAX_BYTES);
  private readonly rendering = new KeyedQueue();
  /** Number of members that were rendered. */
  private rendered = 0;

  constructor(
    @Inject(OBJECT_STORE) private readonly objectStore: ObjectStore,
    private readonly turns: RenderTurns,
  ) {}

  /** Returns undefined when nothing was reported, or when the body does not exist any more. */
  async text(digest: string | undefined): Promise<string | undefined> {
    if (!digest) return undefined;
    const known = this.texts.get(digest);
    if (known !== undefined) return known;
    const text = (await this.objectStore.get(digest))?.toString('utf8');
    if (text !== undefined && text.length <= CACHED_BODY_MAX_BYTES) this.texts.set(digest, text, text.length);
    return text;
  }

  /**
   * Returns the body as a member of a JSON object, with the comma before it; nothing when it does not exist any more. It is kept,
   * because escaping the connectivity of a large cluster takes longer than writing everything else about a host.
   */
  member(name: string, digest: string): JsonPiece | Promise<JsonPiece> {
    const key = `${name}/${digest}`;
    return this.members.get(key) ?? this.renderMember(key, name, digest);
  }

  private renderMember(key: string, name: string, digest: string): Promise<JsonPiece> {
    this.rendered += 1;
    return this.rendering.run(String(this.rendered % RENDERED_AT_ONCE), async () => {
      // Another request may have rendered it meanwhile.
      const known = this.members.get(key);
      if (known) return known;
      const body = await this.objectStore.get(digest);
      if (!body?.length) return '';
      return this.turns.run(() => {
        const text = `,"${name}":${JSON.stringify(body.toString('utf8'))}`;
        const member = body.length < UNCOPIED_MIN_BYTES ? text : Buffer.from(text);
        const bytes = sizeOf(member);
        if (bytes <= CACHED_BODY_MAX_BYTES) this.members.set(key, member, bytes);
        return member;
      });
    });
  }
}

/** Maximum total size of cached texts. A text that was requested twice is reused until the document of its host changes. */
const KEPT_MAX_BYTES = 80 * MIB;

/** Caches hosts as JSON, because most of a response about a cluster equals the previous one. */
export class HostTexts {
  private readonly kept = new KeptTexts(KEPT_MAX_BYTES);

  constructor(private readonly turns: RenderTurns) {}

  /**
   * Returns the host as JSON without the closing brace, so that members can be appended. `prepare` reads what the document refers to,
   * and returns the function that presents the host.
   */
  of(document: HostDocument, variant: string, prepare: () => Promise<() => V2Host>): JsonPiece | Promise<JsonPiece> {
    const key = `${document.infra_env_id}/${document.id}/${variant}`;
    const [known] = this.kept.find(key, [document]) ?? [];
    return known ?? this.rendered(key, document, prepare);
  }

  private async rendered(
    key: string,
    document: HostDocument,
    prepare: () => Promise<() => V2Host>,
  ): Promise<JsonPiece> {
    // Reading the reports of all hosts of a large cluster takes longer than a turn may.
    const present = await this.turns.run(prepare);
    return this.turns.run(() => {
      const text = withoutClosingBrace(present());
      this.kept.keep(key, [document], [text]);
      return text;
    });
  }
}

/** Returns the last part of the text of a host: the members that change with every poll. */
export const endOf = (checkedInAt: string, timestamp: number | undefined): string =>
  `,${JSON.stringify({ checked_in_at: checkedInAt, timestamp }).slice(1)}`;

/** Returns the JSON of the host without the closing brace, so that members can be appended. */
function withoutClosingBrace(host: V2Host): string {
  // Undefined members are not written. A copy without the members takes as long as the writing.
  const shown = Object.assign(host, { checked_in_at: undefined, timestamp: undefined });
  return JSON.stringify(shown).slice(0, -1);
}
