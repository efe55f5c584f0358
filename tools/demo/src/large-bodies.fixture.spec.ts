import type { OpenAPIObject } from '@nestjs/swagger';

/** Limit of a JSON body, in bytes. */
export const BODY_MAX_BYTES = 4 * 1024 * 1024;
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

export interface Operation {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly mediaType: string;
  readonly schema: Schema;
}

/** Every operation of the API document with a body. */
export const operationsWithBody = (document: OpenAPIObject): readonly Operation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as { readonly [method: string]: { requestBody?: { content: object } } }).flatMap(
      ([method, { requestBody }]) =>
        Object.entries(requestBody?.content ?? {}).map(
          ([mediaType, { schema }]: [string, { readonly schema: Schema }]) => ({
            method: method.toUpperCase(),
            path,
            mediaType,
            schema,
          }),
        ),
    ),
  );

/** Texts that are expensive for one of the readers of documents when they are repeated. */
const UNITS = ['a', '- ', '{"a":', '[{', 'a: ', '\n-----BEGIN CERTIFICATE-----', 'ssh-rsa AAAA ', '1.1.1.1,'];

/** Values that pass the checks of the fields, so that the request reaches the code behind them. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ['openshift_version', '4.18'],
  ['pull_secret', '{"auths":{"a":{"auth":"YTpi"}}}'],
  ['base_dns_domain', 'example.com'],
  ['file_name', 'a.yaml'],
  ['content', Buffer.from('kind: ConfigMap').toString('base64')],
  ['api_vip_dnsname', 'api.a.example.com'],
  ['network_yaml', 'interfaces: []'],
]);

/** Bodies at the size limit, for the operations of one API document. */
export class LargeBodies {
  constructor(private readonly document: OpenAPIObject) {}

  /** Bodies with the kind of content that fills them. */
  *of(operation: Operation): Generator<readonly [string, string]> {
    const schema = this.resolved(operation.schema);
    const room = BODY_MAX_BYTES - 4_096;
    const nested = (open: string, close: string): string => {
      const depth = Math.floor(room / (open.length + close.length));
      return open.repeat(depth) + '1' + close.repeat(depth);
    };
    if (schema.type === 'string') {
      for (const unit of UNITS)
        yield [JSON.stringify(unit), JSON.stringify(unit.repeat(Math.floor(room / 2 / unit.length)))];
      yield ['nested lists', nested('[', ']')];
      return;
    }
    const base = this.sample(schema) as { readonly [name: string]: unknown };
    const fields = Object.entries(schema.properties ?? {});
    const [first = 'name'] = fields.map(([name]) => name);
    const withField = (name: string, text: string): string =>
      `{${[...Object.entries({ ...base, [name]: undefined }).filter(([, value]) => value !== undefined)]
        .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`)
        .join('')}${JSON.stringify(name)}:${text}}`;
    const members = `{${Array.from({ length: Math.floor(room / 14) }, (_, at) => `"k${at}":1`).join(',')}}`;
    yield ['nested lists', withField(first, nested('[', ']'))];
    yield ['nested objects', withField(first, nested('{"a":', '}'))];
    yield ['unknown members', members];
    yield [
      'one member repeated',
      `{${Array.from({ length: Math.floor(room / (first.length + 8)) }, () => `"${first}":"a"`).join(',')}}`,
    ];
    yield ['all lists at their maximum', this.fullest(schema)];
    for (const [name, given] of fields) {
      const field = this.resolved(given);
      if (field.type === 'array') {
        const item = JSON.stringify(this.sample(field.items ?? {}, 1));
        const fitting = Math.min(ITEMS_MAX, Math.floor(room / (item.length + 1)));
        yield [`entries of ${name}`, withField(name, `[${Array.from({ length: fitting }, () => item).join(',')}]`)];
        for (const [kind, entry] of this.longEntries(field.items ?? {}, room))
          yield [`${name}, ${kind}`, withField(name, `[${entry}]`)];
      }
      if (field.type === 'object' || field.type === undefined) yield [`members of ${name}`, withField(name, members)];
      if (field.type === 'string' && !field.enum) {
        yield [`a long ${name}`, withField(name, JSON.stringify('a,'.repeat(Math.floor(room / 2))))];
        for (const [kind, text] of longTexts(name, field, room)) yield [`${name} of ${kind}`, withField(name, text)];
      }
    }
  }

  /** Entries of a list of objects, each with one long text. */
  private *longEntries(given: Schema, room: number): Generator<readonly [string, string]> {
    const item = this.resolved(given);
    const base = this.sample(item, 1) as object;
    for (const [name, member] of Object.entries(item.properties ?? {})) {
      const field = this.resolved(member);
      if (field.type !== 'string' || field.enum || (field.maxLength ?? room) < 65_536) continue;
      for (const [kind, text] of longTexts(name, field, room))
        yield [`${name} of ${kind}`, JSON.stringify({ ...base, [name]: JSON.parse(text) as string })];
    }
  }

  /** Returns the body with the largest list count that fits into the size limit. Nested lists share the limit. */
  private fullest(schema: Schema): string {
    for (const count of [1_000, 300, 100, 60, 30, 10, 3]) {
      const entries = Math.max(
        0,
        ...this.listsOf(schema).map(({ items }) => this.listsOf(this.resolved(items ?? {})).length),
      );
      if (entries > 0 && count > 100) continue;
      const text = JSON.stringify(this.sample(schema, count));
      if (text.length <= BODY_MAX_BYTES) return text;
    }
    return JSON.stringify(this.sample(schema, 1));
  }

  private listsOf(schema: Schema): readonly Schema[] {
    return Object.values(schema.properties ?? {})
      .map((member) => this.resolved(member))
      .filter(({ type }) => type === 'array');
  }

  /** Returns a small value that matches the schema, with lists of `count` entries. */
  private sample(given: Schema, count = 0, name = ''): unknown {
    const schema = this.resolved(given);
    if (schema.enum) return schema.enum[0];
    switch (schema.type) {
      case 'integer':
      case 'number':
        return schema.minimum ?? 1;
      case 'boolean':
        return true;
      case 'array':
        return Array.from({ length: Math.min(count, schema.maxItems ?? count) }, () =>
          this.sample(schema.items ?? {}, count),
        );
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {})
            .filter(([member]) => count > 0 || schema.required?.includes(member))
            .map(([member, inner]) => [member, this.sample(inner, count, member)]),
        );
      default:
        if (schema.format === 'uuid') return 'e1b5a0f4-6f0f-4a4b-9c0a-7d1d2c3b4a03';
        if (schema.format === 'date-time') return '2026-01-02T03:04:05Z';
        return VALUES.get(name) ?? (schema.pattern?.includes(':') ? '02:00:00:00:00:01' : 'a');
    }
  }

  private resolved(schema: Schema): Schema {
    const [only] = schema.allOf ?? [];
    if (only) return this.resolved(only);
    if (!schema.$ref) return schema;
    const name = schema.$ref.split('/').at(-1) ?? '';
    return this.resolved((this.document.components?.schemas?.[name] ?? {}) as Schema);
  }
}

/** JSON texts of a field, at half of its maximum length. Contents of files are encoded in base64. */
function* longTexts(name: string, { maxLength }: Schema, room: number): Generator<readonly [string, string]> {
  const length = Math.min(maxLength ?? room, room) / 2;
  for (const unit of UNITS) {
    const text = unit.repeat(Math.floor(length / unit.length));
    yield [JSON.stringify(unit), JSON.stringify(text)];
    if (name === 'content')
      yield [`${JSON.stringify(unit)} in base64`, JSON.stringify(Buffer.from(text).toString('base64'))];
  }
}
