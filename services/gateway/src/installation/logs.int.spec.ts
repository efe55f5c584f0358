import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { IgnitionService, RegistrationService } from '@muster/contracts';
import { sealDocument } from '@muster/nest-kit';
import type { JsonObject } from '@muster/ports';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import {
  CLUSTER_ID,
  clusterDocument,
  eventDocument,
  HOST_ID,
  hostDocument,
  INFRA_ENV_ID,
} from '../sample-documents.fixture.spec';
import { EVENTS_AT_ONCE } from './log-bundle';

const LOGS = `${API}/v2/clusters/${CLUSTER_ID}/logs`;
const { recordHostLogs, recordClusterLogs } = RegistrationService.method;

describe('logs', () => {
  let gateway: RunningGateway;
  let recordedAt: (digest: string) => number;
  beforeEach(async () => {
    gateway = await startRunningGateway();
    recordedAt = () => 1;
    await gateway.answers(recordHostLogs, ({ body }) => {
      const { digest } = (body ?? { digest: '' }) as { digest: string };
      return { stored: { position: recordedAt(digest), revision: 1 } };
    });
    await gateway.answers(recordClusterLogs, () => ({ stored: { position: 1, revision: 1 } }));
    await gateway.project(1, [clusterDocument(), hostDocument()]);
  });
  afterEach(() => gateway.close());

  async function upload(query: string, content: string, field = 'upfile'): Promise<{ status: number; body: unknown }> {
    const form = new FormData();
    form.set(field, new Blob([content]), 'logs.tar.gz');
    const response = await fetch(`${gateway.url}${LOGS}?${query}`, { method: 'POST', body: form });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  it('stores an upload and records its host', async () => {
    const query = `logs_type=host&host_id=${HOST_ID.toUpperCase()}&infra_env_id=${INFRA_ENV_ID}`;
    expect(await upload(query, 'what the host said')).toEqual({ status: 204, body: undefined });
    const [asked] = gateway.received;
    const body = asked?.body['body'] as { digest: string; bytes: number };
    expect(asked?.body).toMatchObject({ infraEnvId: INFRA_ENV_ID, hostId: HOST_ID });
    expect((await (await gateway.platform.logs.area(CLUSTER_ID)).get(body.digest))?.toString()).toBe(
      'what the host said',
    );
    expect(body.bytes).toBe(18);
  });

  it('accepts the logs of the controller', async () => {
    expect((await upload('logs_type=controller', 'c')).status).toBe(204);
    expect(gateway.received[0]).toMatchObject({
      subject: 'registration.v1.record_cluster_logs',
      body: { clusterId: CLUSTER_ID, logsType: 'controller' },
    });
  });

  it.each([
    ['nothing', ''],
    ['no part', 'nonsense'],
    ['an incomplete header', '--x\r\nContent-Disposition: form'],
    ['an incomplete file', '--x\r\nContent-Disposition: form-data; name="upfile"; filename="a"\r\n\r\nabc'],
  ])('refuses a multipart body with %s and stores nothing', async (_, body) => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const response = await fetch(`${gateway.url}${LOGS}?logs_type=controller`, { method: 'POST', headers, body });
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code: 400 })]);
    const area = await gateway.platform.logs.area(CLUSTER_ID);
    for await (const object of area.list()) expect(object).toBeUndefined();
    expect(gateway.received).toEqual([]);
  });

  it('refuses an empty file and keeps the logs that were there', async () => {
    const query = `logs_type=host&host_id=${HOST_ID}`;
    const area = await gateway.platform.logs.area(CLUSTER_ID);
    const { digest } = await area.put(Buffer.from('logs'), 10_000);
    await gateway.project(2, [clusterDocument(), hostDocument({ _logs_digest: digest })]);
    expect(await upload(query, '')).toEqual({
      status: 400,
      body: expect.objectContaining({ message: 'upfile in formData is empty' }) as unknown,
    });
    expect(gateway.received).toEqual([]);
    expect((await area.get(digest))?.toString()).toBe('logs');
    for await (const object of area.list()) expect(object.digest).toBe(digest);
  });

  it.each(['ENOSPC', 'XMinioStorageFull'])('answers 507 when the object store is full (%s)', async (code) => {
    const area = await gateway.platform.logs.area(CLUSTER_ID);
    jest.spyOn(area, 'put').mockRejectedValueOnce(Object.assign(new Error('no space'), { code }));
    expect(await upload('logs_type=controller', 'c')).toMatchObject({
      status: 507,
      body: { reason: 'Nothing was stored: no space' },
    });
  });

  it('keeps the logs of another host of the cluster that has the same id in another infra-env', async () => {
    const area = await gateway.platform.logs.area(CLUSTER_ID);
    const [first, second] = [await area.put(Buffer.from('first'), 100), await area.put(Buffer.from('second'), 100)];
    const other = hostDocument({ infra_env_id: '2f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f6', _logs_digest: second.digest });
    await gateway.project(2, [clusterDocument(), hostDocument({ _logs_digest: first.digest }), other]);
    let projected: Promise<unknown> = Promise.resolve();
    recordedAt = (digest) => {
      projected = gateway.project(3, [hostDocument({ _logs_digest: digest })]);
      return 3;
    };
    expect((await upload(`logs_type=host&host_id=${HOST_ID}&infra_env_id=${INFRA_ENV_ID}`, 'third')).status).toBe(204);
    await projected;
    expect(await area.get(first.digest)).toBeUndefined();
    expect((await area.get(second.digest))?.toString()).toBe('second');
  });

  it('removes the logs that an upload replaces', async () => {
    const area = await gateway.platform.logs.area(CLUSTER_ID);
    const first = (await area.put(Buffer.from('first'), 10_000)).digest;
    await gateway.project(2, [clusterDocument(), hostDocument({ _logs_digest: first })]);
    // The read models follow the event after the reply of the command, as in a running service.
    let projected: Promise<unknown> = Promise.resolve();
    recordedAt = (digest) => {
      projected = sleep(100).then(() =>
        gateway.project(3, [clusterDocument(), hostDocument({ _logs_digest: digest })]),
      );
      return 3;
    };
    const query = `logs_type=host&host_id=${HOST_ID}&infra_env_id=${INFRA_ENV_ID}`;
    expect((await upload(query, 'second')).status).toBe(204);
    await projected;
    const held: string[] = [];
    for await (const { digest } of area.list()) held.push(String(await area.get(digest)));
    expect(held).toEqual(['second']);
  });

  it.each([
    ['of a host without the host id', 'logs_type=host', 'upfile', 400, 'host_id in query is required'],
    ['of a host that does not exist', `logs_type=host&host_id=${CLUSTER_ID}`, 'upfile', 404, 'was not found'],
    [
      'of an unknown type',
      'logs_type=all',
      'upfile',
      400,
      'logs_type in query must be one of the following values: host, controller',
    ],
    ['in another field', 'logs_type=controller', 'file', 400, 'upfile in formData is required'],
  ])('refuses logs %s', async (_, query, field, status, words) => {
    const answer = await upload(query, 'x', field);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(words);
    expect(gateway.received).toEqual([]);
  });

  it('refuses a body that is not multipart/form-data', async () => {
    expect((await gateway.call('POST', `${LOGS}?logs_type=controller`, { json: {} })).status).toBe(415);
  });

  it('answers 409 for the log of a host that was not collected yet', async () => {
    for (const query of ['?logs_type=controller', `?logs_type=host&host_id=${HOST_ID}`]) {
      expect(await gateway.call('GET', LOGS + query)).toMatchObject({ status: 409, body: { code: '409' } });
    }
    expect(await gateway.call('GET', `${LOGS}?logs_type=host`)).toMatchObject({ status: 400, body: { code: '400' } });
    // A client would wait for the logs of a host that the cluster does not have.
    expect(await gateway.call('GET', `${LOGS}?logs_type=host&host_id=${CLUSTER_ID}`)).toMatchObject({
      status: 404,
      body: { reason: expect.stringContaining(CLUSTER_ID) as string },
    });
  });

  it('returns one bundle unchanged, and all of them as one tar archive', async () => {
    const store = async (content: string): Promise<string> =>
      (await (await gateway.platform.logs.area(CLUSTER_ID)).put(Buffer.from(content), 10_000)).digest;
    const controller = await store('from the controller');
    const host = await store('x'.repeat(513));
    await gateway.project(2, [
      clusterDocument({ _log_digests: { controller } }),
      hostDocument({ _logs_digest: host, requested_hostname: `../../etc/passwd${'x'.repeat(100)}` }),
    ]);

    const manifests = [
      { folder: 'openshift', fileName: 'a.yaml', source: 'user' },
      { folder: 'manifests', fileName: 'b.yaml', source: 'system' },
    ];
    await gateway.answers(IgnitionService.method.listManifests, () => ({ manifests }));
    const content = Buffer.from('kind: B').toString('base64');
    await gateway.answers(IgnitionService.method.readManifest, () => ({ content }));
    const one = await gateway.call('GET', `${LOGS}?logs_type=host&host_id=${HOST_ID}`);
    expect(one.text).toBe('x'.repeat(513));
    const response = await fetch(gateway.url + LOGS);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="one_logs.tar"');
    const directory = mkdtempSync(join(tmpdir(), 'logs-'));
    try {
      writeFileSync(join(directory, 'all.tar'), Buffer.from(await response.arrayBuffer()));
      execFileSync('tar', ['xf', 'all.tar'], { cwd: directory });
      // The files of assisted-service v2, by the patterns of the programs that analyse them.
      const hostFile = `one_auto-assign_-..-etc-passwd${'x'.repeat(50)}`;
      expect(readdirSync(directory).sort()).toEqual([
        'all.tar',
        'cluster_events.json',
        'cluster_manifest_system-generated_manifests_b.yaml',
        'cluster_manifest_user-supplied_openshift_a.yaml',
        'cluster_metadata.json',
        'controller_logs.tar.gz',
        `${hostFile}.tar`,
      ]);
      execFileSync('tar', ['xf', `${hostFile}.tar`], { cwd: directory });
      const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
      expect(JSON.parse(read('cluster_metadata.json'))).toMatchObject({ id: CLUSTER_ID, hosts: [{ id: HOST_ID }] });
      expect(JSON.parse(read('cluster_events.json'))).toEqual([]);
      expect(read('cluster_manifest_user-supplied_openshift_a.yaml')).toMatch(/^# The content is omitted/);
      expect(read('cluster_manifest_system-generated_manifests_b.yaml')).toBe('kind: B');
      expect(read(`${hostFile}.tar.gz`)).toBe('x'.repeat(513));
      expect(read('controller_logs.tar.gz')).toBe('from the controller');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('returns the logs that were collected last when a machine is in the cluster with two infra-envs', async () => {
    const area = await gateway.platform.logs.area(CLUSTER_ID);
    const ofHost = async (content: string, logs_collected_at: string, infra_env_id?: string) => {
      const { digest } = await area.put(Buffer.from(content), 1_000);
      return hostDocument({ _logs_digest: digest, logs_collected_at, ...(infra_env_id && { infra_env_id }) });
    };
    await gateway.project(2, [
      await ofHost('of the first registration', '2026-01-02T03:04:05.000Z'),
      await ofHost('of the present one', '2026-01-02T03:04:06.000Z', CLUSTER_ID),
      await ofHost('of an earlier one', '2026-01-02T03:04:04.000Z', HOST_ID),
    ]);
    expect((await gateway.call('GET', `${LOGS}?logs_type=host&host_id=${HOST_ID}`)).text).toBe('of the present one');
  });

  it('contains all events of the cluster in their order, and no documents of users', async () => {
    const ordinals = Array.from({ length: 2 * EVENTS_AT_ONCE + 1 }, (_, ordinal) => ordinal);
    const { secrets } = gateway.platform;
    const sealed = await sealDocument(secrets, CLUSTER_ID, '{"publish":"canary"}');
    await gateway.project(2, [
      clusterDocument({ _install_config_overrides: sealed }),
      hostDocument(),
      ...ordinals.map((ordinal) => eventDocument(ordinal, { request_id: `request ${ordinal}`, _actor: 'bob' })),
    ]);
    expect((await gateway.call('GET', `${API}/v2/clusters/${CLUSTER_ID}`)).text).toContain('canary');
    await gateway.answers(IgnitionService.method.listManifests, () => ({ manifests: [] }));
    const archive = Buffer.from(await (await fetch(gateway.url + LOGS)).arrayBuffer());
    const read = (name: string): unknown => {
      const text = execFileSync('tar', ['xO', name], { input: archive, encoding: 'utf8' });
      expect(text).not.toContain('canary');
      return JSON.parse(text);
    };
    const events = read('cluster_events.json') as readonly object[];
    expect(events).toHaveLength(ordinals.length);
    expect(events[EVENTS_AT_ONCE]).toMatchObject({
      request_id: `request ${EVENTS_AT_ONCE}`,
      category: 'user',
      props: JSON.stringify({ cluster_id: CLUSTER_ID, actor: 'bob' }),
    });
    expect(read('cluster_metadata.json')).toMatchObject({ id: CLUSTER_ID, hosts: [{ id: HOST_ID }] });
  });

  it('omits a log whose body was removed in the meantime', async () => {
    const gone = `sha256:${'0'.repeat(64)}`;
    await gateway.project(2, [clusterDocument({ _log_digests: { controller: gone } })]);
    await gateway.answers(IgnitionService.method.listManifests, () => ({ manifests: [] }));
    const archive = Buffer.from(await (await fetch(gateway.url + LOGS)).arrayBuffer());
    const names = execFileSync('tar', ['t'], { input: archive, encoding: 'utf8' }).trim().split('\n');
    expect(names).toEqual(['cluster_events.json', 'cluster_metadata.json']);
  });

  it('serves events and state of the cluster before any upload, and without manifests when the ignition service refuses', async () => {
    await gateway.refuses(IgnitionService.method.listManifests, { code: 'busy', reason: 'not now' });
    const response = await fetch(gateway.url + LOGS);
    expect(response.status).toBe(200);
    const archive = Buffer.from(await response.arrayBuffer()).toString('latin1');
    expect(archive).toContain('cluster_events.json');
    expect(archive).toContain('cluster_metadata.json');
  });

  it('reports the progress of the log collection', async () => {
    const paths = [
      `${API}/v2/clusters/${CLUSTER_ID}/logs-progress`,
      `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}/logs-progress`,
    ];
    for (const path of paths) {
      expect((await gateway.call('PUT', path, { json: { logs_state: 'collecting' } })).status).toBe(204);
    }
    expect(gateway.received.map(({ body }: { body: JsonObject }) => body['logsState'])).toEqual([
      'collecting',
      'collecting',
    ]);
  });
});
