import type { Runtime } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { BoundedMap } from '@muster/event-sourcing';

export interface GrownCollection {
  readonly by: number;
  readonly size: number;
  /** The last keys. */
  readonly keys: string;
}

const PROTOTYPES = { maps: Map.prototype, sets: Set.prototype, lists: Array.prototype, bounded: BoundedMap.prototype };

/** Counts the entries of all maps, sets and lists of this process, also of those that only a closure refers to. */
export class LiveCollections {
  private readonly session = new Session();
  private contextId = 0;

  /** Must be called by the test, because each test file has a global object of its own. */
  async open(): Promise<void> {
    const { session } = this;
    session.connect();
    Object.assign(globalThis, { prototypesOfCollections: PROTOTYPES });
    const ids: number[] = [];
    session.on('Runtime.executionContextCreated', ({ params }) => void ids.push(params.context.id));
    await session.post('Runtime.enable');
    for (const contextId of ids) {
      const expression = '"prototypesOfCollections" in globalThis';
      const { result } = await session.post('Runtime.evaluate', { expression, contextId });
      if (result.value === true) this.contextId = contextId;
    }
    await session.post('Runtime.disable');
  }

  close(): void {
    this.session.disconnect();
  }

  /** Records the current sizes. */
  async record(): Promise<void> {
    await this.measure(0, 0, true);
  }

  /**
   * Returns the maps, sets and lists with at least `least` entries more than recorded. A map or set that was not recorded, as the copy
   * of another one, had `unrecorded` entries. A list that was not recorded is left out, as a page of events, and so are the entries of
   * bounded maps.
   */
  grown(least: number, unrecorded: number): Promise<readonly GrownCollection[]> {
    return this.measure(least, unrecorded, false);
  }

  private async measure(least: number, unrecorded: number, isRecord: boolean): Promise<readonly GrownCollection[]> {
    const { session } = this;
    const objectGroup = 'collections';
    const all = async (name: keyof typeof PROTOTYPES): Promise<string> => {
      const expression = `prototypesOfCollections.${name}`;
      const { result } = await session.post('Runtime.evaluate', { expression, contextId: this.contextId, objectGroup });
      // The types do not have the group.
      const query = { prototypeObjectId: result.objectId ?? '', objectGroup };
      return (await session.post('Runtime.queryObjects', query)).objects.objectId ?? '';
    };
    const bounded = { objectId: await all('bounded') };
    const found: GrownCollection[] = [];
    for (const name of ['maps', 'sets', 'lists'] as const) {
      const call: Runtime.CallFunctionOnParameterType = {
        functionDeclaration: compare.toString(),
        objectId: await all(name),
        arguments: [bounded, ...[least, unrecorded, isRecord].map((value) => ({ value }))],
        returnByValue: true,
      };
      const { result, exceptionDetails } = await session.post('Runtime.callFunctionOn', call);
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      found.push(...(JSON.parse(String(result.value)) as GrownCollection[]));
    }
    await session.post('Runtime.releaseObjectGroup', { objectGroup });
    return found;
  }
}

type AnyCollection = Map<unknown, unknown> | Set<unknown> | unknown[];

/** Its text is sent, so it refers to nothing outside. */
function compare(
  this: Iterable<AnyCollection>,
  bounded: Iterable<object>,
  least: number,
  unrecorded: number,
  isRecord: boolean,
): string {
  const global = globalThis as { sizesOfCollections?: WeakMap<object, number> };
  const recorded = (global.sizesOfCollections ??= new WeakMap<object, number>());
  const skipped = new Set<unknown>();
  for (const map of bounded) for (const part of Object.values(map)) skipped.add(part);
  const found: GrownCollection[] = [];
  for (const collection of this) {
    // The prototypes of derived classes have no size.
    if (skipped.has(collection) || Object.hasOwn(collection, 'constructor')) continue;
    const isList = Array.isArray(collection);
    const size = isList ? collection.length : collection.size;
    const by = size - (recorded.get(collection) ?? (isList ? size : unrecorded));
    if (isRecord) recorded.set(collection, size);
    else if (by >= least)
      found.push({ by, size, keys: isList ? '' : [...collection.keys()].slice(-2).map(String).join() });
  }
  return JSON.stringify(found);
}
