import { BoundedMap } from '@muster/event-sourcing';
import { bytesOf, joinPieces, JOINED_MAX_BYTES, type JsonPiece } from '../http/file-answers';
import { keepBody } from '../http/kept-bodies';

/** The inputs from which a text is rendered: objects that are never changed, and short values. */
export type Sources = readonly (object | string | number | undefined)[];

/** A JSON text that may not have to be rendered. */
export interface Text {
  /** Returns the present sources. They are what `render` uses when it is called in the same turn of the event loop. */
  sources(): Sources;
  render(): readonly JsonPiece[] | Promise<readonly JsonPiece[]>;
}

interface Kept {
  readonly sources: Sources;
  /** Undefined for a text that was requested once. Until it is requested again, only its tag is kept. */
  readonly pieces: readonly JsonPiece[] | undefined;
  /** The tag of a text that was joined. */
  readonly tag?: string | undefined;
}

interface Rendering {
  readonly sources: Sources;
  readonly joined: Promise<readonly JsonPiece[]>;
}

/** Memory of an entry without its text, and of each source, in bytes. */
const ENTRY_BYTES = 256;
const SOURCE_BYTES = 16;

/**
 * JSON texts in pieces, kept from the second request to the last one with the same sources. While a fleet installs, most hosts and
 * clusters change between two requests, and texts that are kept until then become garbage in old memory, which costs collections of the
 * whole heap. The least recently used text leaves when the texts exceed `bytesMax`.
 */
export class KeptTexts {
  private readonly texts: BoundedMap<string, Kept>;
  /** Texts that are being rendered. */
  private readonly rendering = new Map<string, Rendering>();

  constructor(bytesMax: number) {
    this.texts = new BoundedMap(bytesMax);
  }

  /** Returns the text that was kept under the key, when its sources are the same. */
  find(key: string, sources: Sources): readonly JsonPiece[] | undefined {
    return this.known(key, sources)?.pieces && this.texts.get(key)?.pieces;
  }

  /** Replaces the text of the key. It is kept when its sources are the same as the last time. A text above `bytesMax` is not kept. */
  keep(key: string, sources: Sources, pieces: readonly JsonPiece[]): void {
    this.set(key, { sources, pieces: this.known(key, sources) && pieces });
  }

  /**
   * Returns one piece with the bytes of all pieces. It has a tag, which is the same for the same bytes. Requests at the same time receive
   * the same piece. Texts above `JOINED_MAX_BYTES` stay in pieces.
   */
  async joined(key: string, text: Text): Promise<readonly JsonPiece[]> {
    const sources = text.sources();
    const kept = this.find(key, sources);
    if (kept) return kept;
    const running = this.rendering.get(key);
    if (running && areSame(running.sources, sources)) return running.joined;
    const numbered = identified(sources);
    const joined = this.join(key, sources, text);
    const rendering = { sources: numbered, joined };
    this.rendering.set(key, rendering);
    try {
      return await joined;
    } finally {
      if (this.rendering.get(key) === rendering) this.rendering.delete(key);
    }
  }

  private async join(key: string, sources: Sources, text: Text): Promise<readonly JsonPiece[]> {
    const pieces = await text.render();
    const bytes = bytesOf(pieces);
    if (bytes > JOINED_MAX_BYTES) return pieces;
    const whole = joinPieces(pieces, bytes);
    const tag = keepBody(whole);
    // MongoDB returns other objects for each request, so the sources may differ although the text is the same.
    const known = this.texts.peek(key);
    const isRepeated = known?.tag === tag;
    const joined = (isRepeated && known.pieces) || [whole];
    this.set(key, { sources, pieces: isRepeated ? joined : undefined, tag });
    return joined;
  }

  private set(key: string, { sources, pieces, tag }: Kept): void {
    const size = ENTRY_BYTES + SOURCE_BYTES * sources.length + bytesOf(pieces ?? []);
    this.texts.set(key, { sources: identified(sources), pieces, tag }, size);
  }

  private known(key: string, sources: Sources): Kept | undefined {
    const known = this.texts.peek(key);
    return known && areSame(known.sources, sources) ? known : undefined;
  }
}

/** Documents are copies that were made with spread syntax, for which a hidden property is slow. */
const numberOf = new WeakMap<object, number>();
let numbers = 0;

/** Returns the number of an object, which identifies it without keeping it in memory. */
function identify(object: object): number {
  const known = numberOf.get(object);
  if (known !== undefined) return known;
  numbers += 1;
  numberOf.set(object, numbers);
  return numbers;
}

const identified = (sources: Sources): Sources =>
  sources.map((source) => (typeof source === 'object' ? identify(source) : source));

/** As `Promise.all`, without a promise where all values are there already. */
export function allOf<Value>(values: readonly (Value | Promise<Value>)[]): readonly Value[] | Promise<Value[]> {
  return areThere(values) ? values : Promise.all(values);
}

const areThere = <Value>(values: readonly (Value | Promise<Value>)[]): values is readonly Value[] =>
  !values.some((value) => value instanceof Promise);

const areSame = (known: Sources, sources: Sources): boolean =>
  known.length === sources.length &&
  sources.every((source, index) => (typeof source === 'object' ? numberOf.get(source) : source) === known[index]);
