import {
  CompleteInstallationBody,
  FollowEventsQuery,
  FunnelQuery,
  ListClustersQuery,
  ListEventsQuery,
  LogsProgressBody,
  PastQuery,
  RegisterClusterBody,
  RegisterHostBody,
  RegisterInfraEnvBody,
  ReviseClusterBody,
  ReviseHostBody,
  StepReplyBody,
  TriggerEventBody,
} from '@muster/assisted-api';
import { JSON_MAX_DEPTH, JSON_MAX_MEMBERS } from '@muster/ports';
import { IdPipe, RequestPipe, TextPipe } from './request.pipes';

type RequestClass = new () => object;

const CLUSTER = { name: 'one', openshift_version: '4.18', pull_secret: '{}' };
const pipe = new RequestPipe();
const parse = async (type: 'body' | 'query', metatype: RequestClass, value: unknown): Promise<unknown> =>
  pipe.transform(value, { type, metatype });

async function violationOf(metatype: RequestClass, value: unknown, type: 'body' | 'query' = 'body'): Promise<string> {
  try {
    await parse(type, metatype, value);
    return 'valid';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('the pipe for bodies', () => {
  it('returns an instance of the request class and treats null as absent', async () => {
    const body = { name: 'two', tags: null, api_vips: [{ ip: '192.0.2.1', verification: null }] };
    const parsed = await parse('body', ReviseClusterBody, body);
    expect(parsed).toBeInstanceOf(ReviseClusterBody);
    expect(parsed).toEqual(expect.objectContaining({ name: 'two', api_vips: [{ ip: '192.0.2.1' }] }));
  });

  it.each([
    [{ ...CLUSTER, name: null }, 'name in body is required'],
    [{ ...CLUSTER, name: '' }, 'name in body must be longer than or equal to 1 characters'],
    [{ ...CLUSTER, name: 7 }, 'name in body must be a string, not 7'],
    [{ ...CLUSTER, pull_secret: undefined }, 'pull_secret in body is required'],
    [{ ...CLUSTER, pull_secret: 7 }, 'pull_secret in body must be a string'],
    [{ ...CLUSTER, vip_dhcp_allocation: 'yes' }, 'vip_dhcp_allocation in body must be a boolean value, not "yes"'],
    [
      { ...CLUSTER, cluster_network_host_prefix: 129 },
      'cluster_network_host_prefix in body must not be greater than 128, not 129',
    ],
    [{ ...CLUSTER, control_plane_count: 2.5 }, 'control_plane_count in body must be an integer number, not 2.5'],
    [
      { ...CLUSTER, hyperthreading: 'workers,masters' },
      /^hyperthreading in body must be one of the following values: none, masters, arbiters.*, not "workers,masters"$/,
    ],
    [
      { ...CLUSTER, platform: { type: 'external', external: { cloud_controller_manager: 'x' } } },
      'platform.external.cloud_controller_manager in body must be one of the following values: "", External, not "x"',
    ],
    [{ ...CLUSTER, api_vips: {} }, 'api_vips in body must be an array, not an object'],
    [{ ...CLUSTER, api_vips: ['192.0.2.1'] }, 'each entry of api_vips in body must be an object'],
    [
      { ...CLUSTER, api_vips: [{ ip: 'one' }] },
      'api_vips[0].ip in body must be an IP address such as 192.168.0.1 or fd00::1, or empty, not "one"',
    ],
    [{ ...CLUSTER, platform: [] }, 'platform in body must be an object, not a list'],
    [{ ...CLUSTER, platform: {} }, 'platform.type in body is required'],
    [{ ...CLUSTER, platform: { type: 'none', extra: 1 } }, /^platform\.extra in body is not a field of this request/],
    [{ ...CLUSTER, tags: 'a'.repeat(16_385) }, 'tags in body must be shorter than or equal to 16384 characters'],
    [undefined, 'body is required'],
    ['text', 'body must be a JSON object'],
    [[], 'body must be a JSON object'],
  ])('names the field of %j and what is allowed', async (body, message) => {
    expect(await violationOf(RegisterClusterBody, body)).toMatch(message);
  });

  it('replaces halves of characters, which JSON permits and no message of a service does, as JSON parsers of Go do', async () => {
    const body = { host_name: 'a\ud83d', node_labels: [{ key: '\ude00', value: '\u{1f600}' }] };
    expect(await parse('body', ReviseHostBody, body)).toMatchObject({
      host_name: 'a\ufffd',
      node_labels: [{ key: '\ufffd', value: '\u{1f600}' }],
    });
    const free = { is_success: false, data: { list: ['\ud83d', { name: '\ud83d' }] } };
    expect(await parse('body', CompleteInstallationBody, free)).toMatchObject({
      data: { list: ['\ufffd', { name: '\ufffd' }] },
    });
    expect(new TextPipe(9).transform('a\ud83d')).toBe('a\ufffd');
  });

  it('accepts a missing body where the request class allows it', async () => {
    expect(await violationOf(StepReplyBody, undefined)).toBe('valid');
  });

  it('limits lists, nesting and the number of members', async () => {
    expect(await violationOf(RegisterClusterBody, { ...CLUSTER, api_vips: new Array(1_001).fill({}) })).toBe(
      'api_vips in body must contain at most 1000 entries, not 1001',
    );
    let nested: unknown = 1;
    for (let depth = 0; depth <= JSON_MAX_DEPTH; depth += 1) nested = [nested];
    expect(await violationOf(RegisterClusterBody, { ...CLUSTER, platform: { type: 'none', external: nested } })).toBe(
      `body must not be nested deeper than ${JSON_MAX_DEPTH} levels`,
    );
    expect(await violationOf(RegisterClusterBody, { ...CLUSTER, tags: new Array(JSON_MAX_MEMBERS).fill(1) })).toBe(
      `body must not have more than ${JSON_MAX_MEMBERS} members`,
    );
  });

  it('repeats the beginning of a long unknown field', async () => {
    const found = await violationOf(RegisterClusterBody, { ...CLUSTER, ['x'.repeat(100_000)]: 1 });
    expect(found).toMatch(/^x{200} in body is not a field of this request/);
  });

  it('stops at the first of many unknown fields', async () => {
    const reads: string[] = [];
    const names = Array.from({ length: 250_000 }, (_, index) => `unknown_${index}`);
    const body = new Proxy(Object.fromEntries(names.map((name) => [name, 1])), {
      get: (target, name: string) => {
        reads.push(name);
        return target[name];
      },
    });
    expect(await violationOf(RegisterClusterBody, body)).toMatch(/^unknown_0 in body is not a field/);
    expect(reads).toHaveLength(0);
  });

  it('names the index of an entry in a long list, which is validated in parts', async () => {
    const hosts = Array.from({ length: 350 }, () => ({ network_yaml: 'a', mac_interface_map: [] as object[] }));
    const infraEnv = { name: 'a', pull_secret: '{}', static_network_config: hosts };
    expect(await parse('body', RegisterInfraEnvBody, infraEnv)).toMatchObject(infraEnv);
    hosts[234]?.mac_interface_map.push({ mac_address: 'x' });
    expect(await violationOf(RegisterInfraEnvBody, infraEnv)).toMatch(
      /^static_network_config\[234\]\.mac_interface_map\[0\]\.mac_address in body must be a MAC address/,
    );
  });

  it('validates requests of other routes', async () => {
    expect(await violationOf(LogsProgressBody, { logs_state: 'lost' })).toBe(
      'logs_state in body must be one of the following values: requested, collecting, completed, timeout, "", not "lost"',
    );
    expect(await violationOf(RegisterHostBody, { host_id: 'one' })).toBe('host_id in body must be a UUID, not "one"');
    expect(await violationOf(ReviseHostBody, { node_labels: [{ key: 'a' }] })).toBe(
      'node_labels[0].value in body is required',
    );
    const infraEnv = { name: 'a', pull_secret: '{}' };
    const macs = { static_network_config: [{ mac_interface_map: [{ mac_address: 'x' }] }] };
    expect(await violationOf(RegisterInfraEnvBody, { ...infraEnv, ...macs })).toBe(
      'static_network_config[0].mac_interface_map[0].mac_address in body must be a MAC address such as 02:00:00:80:12:14',
    );
    expect(await violationOf(RegisterInfraEnvBody, { ...infraEnv, cpu_architecture: 'multi' })).toMatch(
      /^cpu_architecture in body must be one of the following values/,
    );
    const event = { severity: 'info', message: 'a', event_time: 'yesterday' };
    expect(await violationOf(TriggerEventBody, event)).toBe(
      'event_time in body must be RFC 3339 date, not "yesterday"',
    );
  });
});

describe('the pipe for queries', () => {
  const parsed = async (query: Record<string, unknown>): Promise<object> =>
    JSON.parse(JSON.stringify(await parse('query', ListEventsQuery, query)));

  it('parses numbers, booleans and lists in all formats that clients use', async () => {
    expect(
      await parsed({ limit: '-1', deleted_hosts: 'True', severities: ['info,error', 'warning'], order: '' }),
    ).toEqual({ limit: -1, deleted_hosts: true, severities: ['info', 'error', 'warning'] });
    expect(await parsed({ limit: ['1', '2'], cluster_level: 'no' })).toEqual({ limit: 2, cluster_level: false });
  });

  it('ignores unknown parameters', async () => {
    expect(await parsed({ colour: 'red' })).toEqual({});
  });

  it.each([
    [ListEventsQuery, { limit: '1e3' }, 'limit in query must be an integer number, not "1e3"'],
    [
      ListEventsQuery,
      { severities: 'info,loud' },
      'each entry of severities in query must be one of the following values: info, warning, error, critical',
    ],
    [ListClustersQuery, { openshift_cluster_id: 'one' }, 'openshift_cluster_id in query must be a UUID, not "one"'],
    ...([FollowEventsQuery, FunnelQuery, PastQuery] as const).map(
      (type): [RequestClass, Record<string, string>, string] => [
        type,
        { host_id: 'one' },
        'host_id in query is not a field of this request; check its spelling or leave it out',
      ],
    ),
  ])('names the parameter that is not valid', async (type, query, message) => {
    expect(await violationOf(type, query, 'query')).toBe(message);
  });
});

describe('the pipes for single values', () => {
  it('returns a UUID of the path in lower case', () => {
    const metadata = { type: 'param', data: 'cluster_id' } as const;
    expect(new IdPipe().transform('5B0F2C5E-8D6D-4B7A-9A52-0F6F3A1C9D01', metadata)).toBe(
      '5b0f2c5e-8d6d-4b7a-9a52-0f6f3a1c9d01',
    );
    expect(() => new IdPipe().transform('one', metadata)).toThrow('cluster_id in path must be a UUID');
  });

  it('limits the length of a body that is one string', () => {
    expect(new TextPipe(3).transform('abc')).toBe('abc');
    expect(() => new TextPipe(3).transform('abcd')).toThrow('body must have at most 3 characters, not 4');
    expect(() => new TextPipe(3).transform({})).toThrow('body must be a JSON string');
  });
});
