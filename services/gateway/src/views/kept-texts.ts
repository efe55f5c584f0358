import { BoundedMap } from '@muster/event-sourcing';
import { bytesOf, joinPieces, JOINED_MAX_BYTES, type JsonPiece } from '../http/file-answers';
import { keepBody } from '../http/kept-bodies';

interface Kept {
  /** The inputs from which the text was rendered. */
  readonly sources: readonly unknown[];
  /** Undefined for a text that was joined once. Until it is requested again, only its tag is kept. */
  readonly pieces: readonly JsonPiece[] | undefined;
  /** The tag of a text that was joined. */
  readonly tag?: string;
}

/**
 * JSON texts in pieces, kept from answer to answer. Documents that the read models return are never changed, so a text is valid while it
 * is rendered from the same objects. The least recently used text leaves when the texts exceed `bytesMax`.
 */
export class KeptTexts {
  private readonly texts: BoundedMap<string, Kept>;

  constructor(bytesMax: number) {
    this.texts = new BoundedMap(bytesMax);
  }

  /** The text that was kept under the key, when it was rendered from exactly these objects. */
  find(key: string, sources: readonly unknown[]): readonly JsonPiece[] | undefined {
    const known = this.texts.peek(key);
    if (!known || !areSame(known.sources, sources)) return undefined;
    return this.texts.get(key)?.pieces;
  }

  /** Replaces the text of the key. A text above `bytesMax` is not kept. */
  keep(key: string, sources: readonly unknown[], pieces: readonly JsonPiece[]): void {
    this.texts.set(key, { sources, pieces }, bytesOf(pieces));
  }

  /**
   * Returns one piece with the bytes of all pieces, with the same tag as long as the sources are the same objects, by default the pieces.
   * Texts above `JOINED_MAX_BYTES` stay in pieces. The bytes are kept from the second request on: most clusters change between two
   * requests, and garbage in old memory costs a collection of the whole heap.
   */
  joined(key: string, pieces: readonly JsonPiece[], sources: readonly unknown[] = pieces): readonly JsonPiece[] {
    const bytes = bytesOf(pieces);
    if (bytes > JOINED_MAX_BYTES) return pieces;
    const kept = this.find(key, sources);
    if (kept) return kept;
    const known = this.texts.peek(key);
    const isRepeated = known !== undefined && areSame(known.sources, sources);
    const whole = joinPieces(pieces, bytes);
    const tag = keepBody(whole, isRepeated ? known.tag : undefined);
    const joined = [whole];
    this.texts.set(key, { sources, pieces: isRepeated ? joined : undefined, tag }, bytes);
    return joined;
  }
}

/** As `Promise.all`, without a promise where all values are there already. */
export function allOf<Value>(values: readonly (Value | Promise<Value>)[]): readonly Value[] | Promise<Value[]> {
  return areThere(values) ? values : Promise.all(values);
}

const areThere = <Value>(values: readonly (Value | Promise<Value>)[]): values is readonly Value[] =>
  !values.some((value) => value instanceof Promise);

function areSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
