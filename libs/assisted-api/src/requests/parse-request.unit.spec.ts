import { RegisterClusterBody, ReviseClusterBody } from './cluster.request';
import { TriggerEventBody } from './event.request';
import { RegisterHostBody, ReviseHostBody } from './host.request';
import { RegisterInfraEnvBody } from './infra-env.request';
import { JSON_MAX_DEPTH, parseBody, parseQuery } from './parse-request';
import { ListClustersQuery, ListEventsQuery } from './queries.request';

const CLUSTER = { name: 'one', openshift_version: '4.18', pull_secret: '{}' };

const validationErrorOf = (type: new () => object, body: unknown): string => {
  const parsed = parseBody(type, body);
  return parsed.kind === 'violates' ? parsed.message : 'fits';
};

describe('parseBody', () => {
  it('answers an instance with what was given, and null as absent', () => {
    const parsed = parseBody(ReviseClusterBody, {
      name: 'two',
      tags: null,
      api_vips: [{ ip: '192.0.2.1', verification: null }],
    });
    expect(parsed).toEqual({
      kind: 'fits',
      value: expect.objectContaining({ name: 'two', api_vips: [{ ip: '192.0.2.1' }] }),
    });
  });

  it.each([
    [{ ...CLUSTER, name: null }, 'name in body is required'],
    [{ ...CLUSTER, name: '' }, 'name in body must have at least 1 character'],
    [{ ...CLUSTER, name: 7 }, 'name in body must be a string'],
    [{ ...CLUSTER, pull_secret: undefined }, 'pull_secret in body is required'],
    [{ ...CLUSTER, vip_dhcp_allocation: 'yes' }, 'vip_dhcp_allocation in body must be true or false'],
    [{ ...CLUSTER, cluster_network_host_prefix: 129 }, 'cluster_network_host_prefix in body must be from 1 to 128'],
    [{ ...CLUSTER, control_plane_count: 2.5 }, 'control_plane_count in body must be a whole number'],
    [
      { ...CLUSTER, hyperthreading: 'workers,masters' },
      /^hyperthreading in body must be one of: none, masters, arbiters/,
    ],
    [{ ...CLUSTER, api_vips: {} }, 'api_vips in body must be a list'],
    [{ ...CLUSTER, api_vips: ['192.0.2.1'] }, 'api_vips in body member 0 must be an object'],
    [{ ...CLUSTER, api_vips: [{ ip: 'one' }] }, /^api_vips\[0\]\.ip in body must match/],
    [{ ...CLUSTER, platform: [] }, 'platform in body must be an object'],
    [{ ...CLUSTER, platform: {} }, 'platform.type in body is required'],
    [{ ...CLUSTER, platform: { type: 'none', extra: 1 } }, /^platform\.extra in body is not a field of this request/],
    [{ ...CLUSTER, tags: 'a'.repeat(16_385) }, 'tags in body must have at most 16384 characters, it has 16385'],
    [undefined, 'body is required'],
    ['text', 'body must be a JSON object'],
  ])('names the field of %j and what it must be', (body, message) => {
    expect(validationErrorOf(RegisterClusterBody, body)).toMatch(message);
  });

  it('bounds lists and nesting', () => {
    expect(validationErrorOf(RegisterClusterBody, { ...CLUSTER, api_vips: new Array(1_001).fill({}) })).toBe(
      'api_vips in body must have at most 1000 members, it has 1001',
    );
    let nested: unknown = 1;
    for (let depth = 0; depth <= JSON_MAX_DEPTH; depth += 1) nested = [nested];
    expect(validationErrorOf(RegisterClusterBody, { nested })).toMatch(/must not be nested deeper/);
  });

  it('knows the other requests', () => {
    expect(validationErrorOf(RegisterHostBody, { host_id: 'one' })).toMatch(/^host_id in body must be a UUID/);
    expect(validationErrorOf(ReviseHostBody, { node_labels: [{ key: 'a' }] })).toBe(
      'node_labels[0].value in body is required',
    );
    const infraEnv = { name: 'a', pull_secret: '{}' };
    const macs = { static_network_config: [{ mac_interface_map: [{ mac_address: 'x' }] }] };
    expect(validationErrorOf(RegisterInfraEnvBody, { ...infraEnv, ...macs })).toMatch(
      /^static_network_config\[0\]\.mac_interface_map\[0\]\.mac_address in body must match/,
    );
    expect(validationErrorOf(RegisterInfraEnvBody, { ...infraEnv, cpu_architecture: 'multi' })).toMatch(
      /cpu_architecture in body must be one of/,
    );
    const event = { severity: 'info', message: 'a', event_time: 'yesterday' };
    expect(validationErrorOf(TriggerEventBody, event)).toBe('event_time in body must be an RFC 3339 time');
  });
});

describe('parseQuery', () => {
  const parsed = (query: Record<string, unknown>): object => {
    const result = parseQuery(ListEventsQuery, query);
    return result.kind === 'fits' ? JSON.parse(JSON.stringify(result.value)) : { message: result.message };
  };

  it('reads numbers, flags and lists in all the ways that clients write them', () => {
    expect(parsed({ limit: '-1', deleted_hosts: 'True', severities: ['info,error', 'warning'], order: '' })).toEqual({
      limit: -1,
      deleted_hosts: true,
      severities: ['info', 'error', 'warning'],
    });
    expect(parsed({ limit: ['1', '2'], cluster_level: 'no' })).toEqual({ limit: 2, cluster_level: false });
  });

  it('ignores parameters that it does not know and names those that it cannot read', () => {
    expect(parsed({ colour: 'red' })).toEqual({});
    expect(parsed({ limit: '1e3' })).toEqual({ message: 'limit in query must be a whole number' });
    expect(parsed({ severities: 'info,loud' })).toEqual({
      message: 'severities in query member 1 must be one of: info, warning, error, critical',
    });
    expect(parseQuery(ListClustersQuery, { openshift_cluster_id: 'one' })).toMatchObject({ kind: 'violates' });
  });
});
