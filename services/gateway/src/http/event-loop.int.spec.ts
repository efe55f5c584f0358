import { readFileSync } from 'node:fs';
import { DocumentWorkers } from '@muster/nest-kit';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createApiDocument } from '../main';
import { type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import {
  CLUSTER_ID,
  clusterDocument,
  HOST_ID,
  hostDocument,
  INFRA_ENV_ID,
  infraEnvDocument,
} from '../sample-documents.fixture.spec';
import { JSON_BODY_MAX_BYTES } from './request-body';

/** Maximum time that one request may occupy the event loop, in milliseconds. */
const DELAY_MAX_MS = 200;
/** Garbage collection and similar work may affect one run, so the best of several runs counts. */
const RUNS_MAX = 3;
const ITEMS_MAX = 100_000;

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
}
interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly schema: Schema;
}

let document: OpenAPIObject;
const resolved = (schema: Schema): Schema => {
  const [only] = schema.allOf ?? [];
  if (only) return resolved(only);
  if (!schema.$ref) return schema;
  const name = schema.$ref.split('/').at(-1) ?? '';
  return resolved((document.components?.schemas?.[name] ?? {}) as Schema);
};

const IDS: ReadonlyMap<string, string> = new Map([
  ['cluster_id', CLUSTER_ID],
  ['infra_env_id', INFRA_ENV_ID],
  ['host_id', HOST_ID],
]);
const operations = (): readonly Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as { readonly [method: string]: { requestBody?: { content: object } } }).flatMap(
      ([method, { requestBody }]) => {
        const json = Object.entries(requestBody?.content ?? {}).find(([type]) => type === 'application/json');
        if (!json) return [];
        const [, { schema }] = json as [string, { readonly schema: Schema }];
        return [
          {
            name: `${method.toUpperCase()} ${path}`,
            method: method.toUpperCase(),
            path: path.replace(/\{(\w+)\}/g, (_, name: string) => IDS.get(name) ?? 'x'),
            schema: resolved(schema),
          },
        ];
      },
    ),
  );

/** Returns a small value that matches the schema, with lists of `count` entries. */
function sample(given: Schema, count = 0): unknown {
  const schema = resolved(given);
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: Math.min(count, schema.maxItems ?? count) }, () => sample(schema.items ?? {}, count));
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => count > 0 || schema.required?.includes(name))
          .map(([name, member]) => [name, sample(member, count)]),
      );
    default:
      if (schema.format === 'uuid') return HOST_ID;
      if (schema.format === 'date-time') return '2026-01-02T03:04:05Z';
      return schema.pattern?.includes(':') ? '02:00:00:00:00:01' : 'a';
  }
}

const isFit = (text: string): boolean => text.length <= JSON_BODY_MAX_BYTES;

/** Returns the body with the largest list count that fits into the size limit. Nested lists share the limit. */
function fullest(schema: Schema): string {
  for (const count of [1_000, 300, 100, 60, 30, 10, 3]) {
    const entries = Math.max(0, ...listsOf(schema).map(({ items }) => listsOf(resolved(items ?? {})).length));
    if (entries > 0 && count > 100) continue;
    const text = JSON.stringify(sample(schema, count));
    if (isFit(text)) return text;
  }
  return JSON.stringify(sample(schema, 1));
}
const listsOf = (schema: Schema): readonly Schema[] =>
  Object.values(schema.properties ?? {})
    .map(resolved)
    .filter(({ type }) => type === 'array');

/** Bodies at the size limit, with the kind of content that fills them. */
function* bodiesOf({ schema }: Operation): Generator<readonly [string, string]> {
  const room = JSON_BODY_MAX_BYTES - 4_096;
  const nested = (open: string, close: string): string => {
    const depth = Math.floor(room / (open.length + close.length));
    return open.repeat(depth) + '1' + close.repeat(depth);
  };
  if (schema.type === 'string') {
    yield ['a long text', JSON.stringify('a'.repeat(room))];
    yield ['nested lists', nested('[', ']')];
    return;
  }
  const base = sample(schema) as { readonly [name: string]: unknown };
  const fields = Object.entries(schema.properties ?? {});
  const [first = 'name'] = fields.map(([name]) => name);
  const withField = (name: string, text: string): string =>
    `{${[...Object.entries({ ...base, [name]: undefined }).filter(([, value]) => value !== undefined)]
      .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`)
      .join('')}${JSON.stringify(name)}:${text}}`;
  yield ['nested lists', withField(first, nested('[', ']'))];
  yield ['nested objects', withField(first, nested('{"a":', '}'))];
  yield ['unknown members', `{${Array.from({ length: Math.floor(room / 14) }, (_, at) => `"k${at}":1`).join(',')}}`];
  yield [
    'one member repeated',
    `{${Array.from({ length: Math.floor(room / (first.length + 8)) }, () => `"${first}":"a"`).join(',')}}`,
  ];
  yield ['all lists at their maximum', fullest(schema)];
  for (const [name, given] of fields) {
    const field = resolved(given);
    if (field.type === 'array') {
      const item = JSON.stringify(sample(field.items ?? {}, 1));
      const fitting = Math.min(ITEMS_MAX, Math.floor(room / (item.length + 1)));
      yield [`entries of ${name}`, withField(name, `[${Array.from({ length: fitting }, () => item).join(',')}]`)];
    }
    if (field.type === 'object' || field.type === undefined)
      yield [
        `members of ${name}`,
        withField(name, `{${Array.from({ length: Math.floor(room / 14) }, (_, at) => `"k${at}":1`).join(',')}}`),
      ];
    if (field.type === 'string' && !field.enum) {
      yield [`a long ${name}`, withField(name, JSON.stringify('a,'.repeat(Math.floor(room / 2))))];
      const length = Math.min(field.maxLength ?? room, room) / 2;
      for (const unit of [
        'a',
        '- ',
        '{"a":',
        '[{',
        'a: ',
        '\n-----BEGIN CERTIFICATE-----',
        'ssh-rsa AAAA ',
        '1.1.1.1,',
      ])
        yield [
          `${name} of ${JSON.stringify(unit)}`,
          withField(name, JSON.stringify(unit.repeat(Math.floor(length / unit.length)))),
        ];
    }
  }
}

/** CPU time of the main thread in milliseconds. On systems other than Linux: of the process. */
function mainThreadCpuMs(): number {
  if (process.platform !== 'linux') return process.cpuUsage().user / 1_000;
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1_000_000;
}

/**
 * Returns the longest turn of the event loop while `work` runs, in milliseconds of CPU time, so that the load of the
 * machine has no effect.
 */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = mainThreadCpuMs();
  let isOver = false;
  const turn = (): void => {
    const now = mainThreadCpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setTimeout(turn, 0);
  };
  turn();
  await work();
  isOver = true;
  return longest;
}

describe('a request at the size limit', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    // Worker threads parse the documents of users. They need the compiled program, which does not exist in this test.
    jest.spyOn(DocumentWorkers.prototype, 'run').mockResolvedValue(undefined);
    document = await createApiDocument();
    gateway = await startRunningGateway();
    await gateway.project(1, [clusterDocument(), infraEnvDocument(), hostDocument()]);
    const refusal = { code: 'not-found', reason: 'Not in this test.', subject: '', allowed: [] };
    for (const service of ['registration', 'inventory', 'validation', 'ignition', 'events'])
      gateway.bus.subscribe(`${service}.v1.*`, () => Promise.resolve({ refusal }));
    await gateway.bus.flush();
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await gateway.close();
  });

  const send = async ({ method, path }: Operation, body: string): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(gateway.url + path, { method, headers, body });
    await response.arrayBuffer();
    return response.status;
  };

  it(`delays the event loop by at most ${DELAY_MAX_MS} ms on every route with a body`, async () => {
    const found: string[] = [];
    const all = operations();
    expect(all.length).toBeGreaterThan(20);
    for (const operation of all) {
      await send(operation, '{}');
      for (const [kind, body] of bodiesOf(operation)) {
        if (!isFit(body)) throw new Error(`${operation.name}, ${kind}: ${body.length} bytes`);
        let best = Infinity;
        let status = 0;
        for (let run = 0; run < RUNS_MAX && best > DELAY_MAX_MS; run += 1)
          best = Math.min(
            best,
            await longestTurnMs(async () => {
              status = await send(operation, body);
            }),
          );
        if (best > DELAY_MAX_MS) found.push(`${operation.name}, ${kind}: ${Math.round(best)} ms, answered ${status}`);
      }
    }
    expect(found).toEqual([]);
  }, 900_000);
});
