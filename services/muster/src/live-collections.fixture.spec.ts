import type { Runtime } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { BoundedMap } from '@muster/event-sourcing';

export interface GrownCollection {
  readonly by: number;
  readonly size: number;
  /** The last keys. */
  readonly keys: string;
}

/** The types as this test file has them. Lists of the runtime itself belong to another global object. */
const TYPES = { Object, Map, Set, Array, BoundedMap };

/** Counts the entries of all maps, sets and lists of this process, also of those that only a closure refers to. */
export class LiveCollections {
  private readonly session = new Session();
  private contextId = 0;

  /** Must be called by the test, because each test file has a global object of its own. */
  async open(): Promise<void> {
    const { session } = this;
    session.connect();
    Object.assign(globalThis, { typesOfCollections: TYPES });
    const ids: number[] = [];
    session.on('Runtime.executionContextCreated', ({ params }) => void ids.push(params.context.id));
    await session.post('Runtime.enable');
    for (const contextId of ids) {
      const expression = '"typesOfCollections" in globalThis';
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
    const { session, contextId } = this;
    const objectGroup = 'collections';
    const expression = 'typesOfCollections.Object.prototype';
    const { result: prototype } = await session.post('Runtime.evaluate', { expression, contextId, objectGroup });
    // One query for all types, because each collects all garbage first. The types of the query do not have the group.
    const query = { prototypeObjectId: prototype.objectId ?? '', objectGroup };
    const { objects } = await session.post('Runtime.queryObjects', query);
    const call: Runtime.CallFunctionOnParameterType = {
      functionDeclaration: compare.toString(),
      objectId: objects.objectId,
      arguments: [least, unrecorded, isRecord].map((value) => ({ value })),
      returnByValue: true,
    };
    const { result, exceptionDetails } = await session.post('Runtime.callFunctionOn', call);
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    await session.post('Runtime.releaseObjectGroup', { objectGroup });
    return JSON.parse(String(result.value)) as GrownCollection[];
  }
}

/** Its text is sent, so it refers to nothing outside. */
function compare(this: Iterable<object>, least: number, unrecorded: number, isRecord: boolean): string {
  const global = globalThis as unknown as {
    readonly typesOfCollections: typeof TYPES;
    sizesOfCollections?: WeakMap<object, number>;
  };
  const { Map: MapType, Set: SetType, Array: ArrayType, BoundedMap: BoundedType } = global.typesOfCollections;
  const recorded = (global.sizesOfCollections ??= new WeakMap<object, number>());
  const skipped = new Set<unknown>();
  for (const one of this) if (one instanceof BoundedType) for (const part of Object.values(one)) skipped.add(part);
  const found: GrownCollection[] = [];
  for (const one of this) {
    const isList = one instanceof ArrayType;
    // The prototypes of derived classes have no size.
    if (!(isList || one instanceof MapType || one instanceof SetType) || Object.hasOwn(one, 'constructor')) continue;
    if (skipped.has(one)) continue;
    const size = isList ? one.length : one.size;
    const by = size - (recorded.get(one) ?? (isList ? size : unrecorded));
    if (isRecord) recorded.set(one, size);
    else if (by >= least) found.push({ by, size, keys: isList ? '' : [...one.keys()].slice(-2).map(String).join() });
  }
  return JSON.stringify(found);
}
