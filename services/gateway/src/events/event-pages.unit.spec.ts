import { inMemoryReadModels } from '@muster/adapter-in-memory';
import {
  COLLECTIONS,
  EVENT_COUNTS,
  EVENT_SEVERITIES,
  type EventDocument,
  type HostDocument,
  type ListEventsQuery,
  presentEvent,
} from '@muster/assisted-api';
import { type JsonObject, putOrRemove, type ReadModels } from '@muster/ports';
import fc from 'fast-check';
import { EVENT_COUNT } from '../http/headers';
import { eventDocument } from '../sample-documents.fixture.spec';
import { RenderTurns } from '../views/render-turns';
import { EventPages, EVENTS_PAGE_MAX, pageOf, toCountHeaders } from './event-pages';

const CLUSTERS = ['c1', 'c2'];
const HOSTS = ['h1', 'h2', 'h3'];
const PRESENT = 'h1';
const INFRA_ENVS = ['i1', 'i2'];

async function stored(events: readonly Partial<EventDocument>[]): Promise<ReadModels> {
  const readModels = inMemoryReadModels();
  const changes = events.map((event, ordinal) => {
    const { document, ...where } = eventDocument(ordinal, event);
    return { kind: 'put' as const, ...where, document: document as unknown as JsonObject };
  });
  await readModels.commit('views', 1, changes);
  return readModels;
}

/** As stored, with the counts that the projection keeps. */
async function storedWithCounts(events: readonly Partial<EventDocument>[]): Promise<ReadModels> {
  const readModels = await stored(events);
  const counts: Record<string, Record<string, number>> = {};
  for (const [ordinal, event] of events.entries()) {
    const { category, severity } = eventDocument(ordinal, event).document;
    const ofCategory = (counts[category] ??= {});
    ofCategory[severity] = (ofCategory[severity] ?? 0) + 1;
  }
  const change = putOrRemove(COLLECTIONS.eventCounts, EVENT_COUNTS, { _position: 1, counts });
  await readModels.commit('views', 2, [change]);
  return readModels;
}

const pagesOf = (readModels: ReadModels): EventPages =>
  new EventPages(readModels, { documentsOfCluster: async () => [{ id: PRESENT } as HostDocument] }, new RenderTurns());

/** The rules of the v2 API, applied to a list one after the other, as the reference for the property test. */
function asWritten(events: readonly EventDocument[], query: ListEventsQuery): object {
  const hostIds = query.host_ids ?? [];
  const inScope = (event: EventDocument): boolean => {
    if (query.cluster_id) return event.cluster_id === query.cluster_id;
    if (hostIds.length > 0) return hostIds.includes(event.host_id ?? '');
    return !query.infra_env_id || event.infra_env_id === query.infra_env_id;
  };
  const narrowed = (event: EventDocument): boolean => {
    if (!query.cluster_id) return true;
    if (!event.message.toLowerCase().includes((query.message ?? '').toLowerCase())) return false;
    const alternatives = [
      ...(hostIds.length > 0 ? [hostIds.includes(event.host_id ?? '')] : []),
      ...(query.deleted_hosts ? [event.host_id !== undefined && event.host_id !== PRESENT] : []),
      ...(query.cluster_level ? [event.host_id === undefined] : []),
    ];
    return alternatives.length === 0 || alternatives.includes(true);
  };
  const categories = query.categories?.length ? query.categories : ['user'];
  const matching = events.filter((event) => inScope(event) && narrowed(event) && categories.includes(event.category));
  const listed = matching.filter(({ severity }) => !query.severities?.length || query.severities.includes(severity));
  if (query.order === 'descending') listed.reverse();
  const offset = Math.max(query.offset ?? 0, 0);
  const limit = query.limit === undefined ? 5_000 : query.limit < 0 ? listed.length : query.limit;
  const counts = EVENT_SEVERITIES.map((severity) => matching.filter((event) => event.severity === severity).length);
  return {
    messages: listed.slice(offset, offset + limit).map(({ message }) => message),
    headers: [String(listed.length), ...counts.map((count) => String(query.cluster_id ? count : 0))],
  };
}

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const EVENTS = fc.array(
  fc.record({
    cluster_id: optional(fc.constantFrom(...CLUSTERS)),
    host_id: optional(fc.constantFrom(...HOSTS)),
    infra_env_id: optional(fc.constantFrom(...INFRA_ENVS)),
    severity: fc.constantFrom(...EVENT_SEVERITIES),
    category: fc.constantFrom('user' as const, 'metrics' as const),
    message: fc.constantFrom('100% ready', 'HOST_up', 'host%', ''),
  }),
  { maxLength: 40 },
);
const QUERY = fc.record({
  cluster_id: optional(fc.constantFrom(...CLUSTERS)),
  host_ids: optional(fc.subarray(HOSTS)),
  infra_env_id: optional(fc.constantFrom(...INFRA_ENVS)),
  severities: optional(fc.subarray([...EVENT_SEVERITIES])),
  categories: optional(fc.subarray(['user', 'metrics', 'other'])),
  message: optional(fc.constantFrom('0%', 'host', 'h_')),
  deleted_hosts: optional(fc.boolean()),
  cluster_level: optional(fc.boolean()),
  order: optional(fc.constantFrom('ascending' as const, 'descending' as const)),
  limit: optional(fc.integer({ min: -3, max: 8 })),
  offset: optional(fc.integer({ min: -2, max: 8 })),
});

describe('the text of events', () => {
  it('is a JSON list in the order of the events, for any number of parts', async () => {
    const pages = pagesOf(inMemoryReadModels());
    for (const count of [0, 1, 250, 601]) {
      const events = Array.from({ length: count }, (_, n) => eventDocument(n, { message: `event ${n}` }).document);
      const shown: unknown = JSON.parse((await pages.text(events)).join(''));
      expect(shown).toEqual(events.map((event) => presentEvent(event)));
    }
  });
});

describe('pages of events', () => {
  it('match the rules of the v2 API, headers included, for generated events and queries', async () => {
    await fc.assert(
      fc.asyncProperty(EVENTS, QUERY, fc.boolean(), async (events, query, areCounted) => {
        const readModels = await (areCounted ? storedWithCounts(events) : stored(events));
        const { events: listed, counts } = await pagesOf(readModels).read(query);
        const documents = events.map((event, ordinal) => eventDocument(ordinal, event).document);
        expect({
          messages: listed.map(({ message }) => message),
          headers: Object.values(toCountHeaders(query, counts)),
        }).toEqual(asWritten(documents, query));
      }),
    );
  });

  it.each([
    ['the first events of a cluster', { cluster_id: 'c1' }],
    ['the last events of a cluster', { cluster_id: 'c1', order: 'descending' as const }],
    ['the events of one host', { host_ids: ['h1'], offset: 100 }],
    ['the events of a host in its cluster', { cluster_id: 'c1', host_ids: ['h1'] }],
    ['the error events of an infra-env', { infra_env_id: 'i1', severities: ['error', 'critical'] }],
    ['the last of all events', { order: 'descending' as const }],
  ])('read only the events that they contain: %s', async (_, query) => {
    const readModels = await stored(
      Array.from({ length: 12_000 }, (_event, n) => ({
        cluster_id: CLUSTERS[n % 2],
        host_id: n % 2 === 0 ? HOSTS[0] : HOSTS[1],
        infra_env_id: INFRA_ENVS[n % 2],
        severity: EVENT_SEVERITIES[(n >> 1) % EVENT_SEVERITIES.length],
      })),
    );
    let documents = 0;
    const counted: ReadModels = {
      ...readModels,
      find: async (given) => {
        const found = await readModels.find(given);
        documents += found.length;
        return found;
      },
    };
    const { events, counts } = await pagesOf(counted).read({ ...query, limit: 10 });
    expect(events).toHaveLength(10);
    expect(documents).toBe(10);
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(
      'order' in query && !('cluster_id' in query) ? 12_000 : 6_000,
    );
  });

  it('are counted in several turns when a count takes long, and without unknown categories', async () => {
    const readModels = await stored([{ cluster_id: 'c1' }]);
    let turn = 0;
    let next = setImmediate(function begin() {
      turn += 1;
      next = setImmediate(begin);
    });
    const turnsOfCounts: number[] = [];
    const categories: unknown[] = [];
    const counted: ReadModels = {
      ...readModels,
      count: async (conditions) => {
        turnsOfCounts.push(turn);
        categories.push(conditions.where);
        return readModels.count(conditions);
      },
    };
    let nowMs = 0;
    // Each time that this clock is read, the time of the turn ends.
    const turns = new RenderTurns(() => (nowMs += 1_000));
    const unknown = Array.from({ length: 900 }, (_event, n) => `unknown-${n}`);
    const query = { cluster_id: 'c1', categories: [...unknown, 'user'] };
    const { counts } = await new EventPages(counted, { documentsOfCluster: async () => [] }, turns).read(query);
    clearImmediate(next);
    expect(counts.get('info')).toBe(1);
    expect(new Set(turnsOfCounts).size).toBe(EVENT_SEVERITIES.length);
    expect(categories).toEqual(EVENT_SEVERITIES.map(() => expect.objectContaining({ category: ['user'] })));
  });

  it('do not count all events of all clusters, because these are millions', async () => {
    const readModels = await storedWithCounts([
      { severity: 'info' },
      { severity: 'error', cluster_id: 'c1' },
      { severity: 'info', category: 'metrics' },
    ]);
    const count = jest.spyOn(readModels, 'count');
    const pages = pagesOf(readModels);
    expect(toCountHeaders({}, (await pages.read({})).counts)[EVENT_COUNT]).toBe('2');
    const both = { categories: ['user', 'metrics'], severities: ['info'] };
    expect(toCountHeaders(both, (await pages.read(both)).counts)[EVENT_COUNT]).toBe('2');
    expect(count).not.toHaveBeenCalled();
    await pages.read({ cluster_id: 'c1' });
    expect(count).toHaveBeenCalledTimes(EVENT_SEVERITIES.length);
  });

  it('have at most the maximum number of events, also when the request has no limit', () => {
    for (const limit of [-1, -7, EVENTS_PAGE_MAX + 1, Number.MAX_SAFE_INTEGER])
      expect(pageOf({ limit })).toEqual({ limit: EVENTS_PAGE_MAX, offset: 0 });
    expect(pageOf({ limit: 0, offset: -1 })).toEqual({ limit: 0, offset: 0 });
  });

  it('combine several reads when one is not sufficient', async () => {
    const readModels = await stored(Array.from({ length: 20_500 }, () => ({ cluster_id: 'c1' })));
    const read = async (query: ListEventsQuery) => (await pagesOf(readModels).read(query)).events;
    expect(await read({ cluster_id: 'c1', limit: -1 })).toHaveLength(20_500);
    expect(await read({ cluster_id: 'c1', limit: 10_001, offset: 10_499 })).toHaveLength(10_001);
    expect(
      (await read({ cluster_id: 'c1', message: 'event', limit: 2, offset: 20_498 })).map((e) => e.message),
    ).toEqual(['event 20498', 'event 20499']);
  });

  it('with conditions of no index are read in the order of an index, because each page would sort the rows before it again', async () => {
    const readModels = await stored(
      Array.from({ length: 4_100 }, (_event, n) => ({
        cluster_id: 'c1',
        severity: EVENT_SEVERITIES[(n >> 1) % EVENT_SEVERITIES.length],
      })),
    );
    const find = jest.spyOn(readModels, 'find');
    const query = { cluster_id: 'c1', message: 'event', severities: ['info', 'error'], limit: 3, offset: 1_000 };
    const read = async (order: 'ascending' | 'descending') => {
      const { events, counts } = await pagesOf(readModels).read({ ...query, order });
      return [events.map(({ message }) => message), Object.fromEntries(counts)];
    };
    const counts = { info: 1_026, warning: 1_026, error: 1_024, critical: 1_024 };
    expect(await read('ascending')).toEqual([['event 2000', 'event 2001', 'event 2004'], counts]);
    expect(await read('descending')).toEqual([['event 2097', 'event 2096', 'event 2093'], counts]);
    for (const [{ where, offset = 0, orderBy }] of find.mock.calls)
      expect([where, offset, orderBy]).toEqual([{ ...where, severity: [expect.any(String)] }, 0, undefined]);
  });

  it('contain every event once, newest first, while others are stored', async () => {
    const readModels = await stored(Array.from({ length: 2_000 }, () => ({ cluster_id: 'c1' })));
    let reads = 0;
    const growing: ReadModels = {
      ...readModels,
      find: async (given) => {
        const found = await readModels.find(given);
        reads += 1;
        const added = Array.from({ length: 30 }, (_event, n) => ({
          kind: 'put' as const,
          ...eventDocument(2_000 + 30 * reads + n, { cluster_id: 'c1' }),
        }));
        await readModels.commit('views', 1 + reads, added);
        return found;
      },
    };
    const { events } = await pagesOf(growing).read({ cluster_id: 'c1', order: 'descending', limit: 1_200 });
    expect(reads).toBe(3);
    expect(events.map(({ message }) => message)).toEqual(
      Array.from({ length: 1_200 }, (_event, n) => `event ${1_999 - n}`),
    );
  });

  it('contain every event that stays, oldest first, while others are replaced', async () => {
    const readModels = await stored(Array.from({ length: 2_000 }, () => ({ cluster_id: 'c1' })));
    let reads = 0;
    const replacing: ReadModels = {
      ...readModels,
      find: async (given) => {
        const found = await readModels.find(given);
        const { collection, key } = eventDocument(reads, { cluster_id: 'c1' });
        reads += 1;
        await readModels.commit('views', 1 + reads, [{ kind: 'remove', collection, key }]);
        return found;
      },
    };
    const { events } = await pagesOf(replacing).read({ cluster_id: 'c1', limit: 1_200 });
    expect(events.map(({ message }) => message)).toEqual(Array.from({ length: 1_200 }, (_event, n) => `event ${n}`));
  });
});
