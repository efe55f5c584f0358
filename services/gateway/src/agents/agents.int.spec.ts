import { generateKeyPairSync } from 'node:crypto';
import { agentSubject, EventsService, HEADERS, RegistrationService } from '@muster/contracts';
import { eventually } from '@muster/testing';
import type { JsonObject } from '@muster/ports';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { HOST_ID, hostDocument, INFRA_ENV_ID, infraEnvDocument } from '../sample-documents.fixture.spec';

const HOSTS = `${API}/v2/infra-envs/${INFRA_ENV_ID}/hosts`;
const { registerHost, nextSteps, replyToStep, reportHostProgress, bindHost, issueBusCredentials } =
  RegistrationService.method;
const COMMAND_ID = '7d444840-9dc0-41d1-b245-5ffdce74fad2';

describe('the HTTP and NATS endpoints for agents', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
  });
  afterEach(() => gateway.close());

  it('registers a host with 201 and returns the host with the command of the next-step runner', async () => {
    await gateway.answers(registerHost, () => ({ stored: { position: 5, revision: 0 }, agentVersion: 'agent:1' }));
    await gateway.project(5, [hostDocument()]);
    const answer = await gateway.call('POST', HOSTS, {
      json: { host_id: HOST_ID.toUpperCase() },
      headers: { discovery_agent_version: 'agent:0' },
    });
    expect(answer.status).toBe(201);
    const { next_step_runner_command: runner, ...host } = answer.body as JsonObject;
    expect(host).toMatchObject({
      id: HOST_ID,
      kind: 'Host',
      status: 'discovering',
      progress_stages: expect.any(Array),
    });
    expect(runner).toEqual({
      args: [JSON.stringify({ infra_env_id: INFRA_ENV_ID, host_id: HOST_ID, agent_version: 'agent:1' })],
    });
    expect(gateway.received[0]?.body).toMatchObject({ hostId: HOST_ID, discoveryAgentVersion: 'agent:0' });
    expect(gateway.received[0]?.headers[HEADERS.actor]).toBe(`agent:${HOST_ID}`);
  });

  it('issues bus credentials to the agent of a host', async () => {
    await gateway.answers(issueBusCredentials, () => ({
      jwt: 'j',
      inboxPrefix: '_INBOX.x',
      expiresAt: '2026-01-02T03:04:05.000Z',
    }));
    const path = `/api/muster/v1/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}/bus-credentials`;
    const answer = await gateway.call('POST', path, { json: { public_key: 'UKEY' } });
    expect(answer.body).toEqual({ jwt: 'j', inbox_prefix: '_INBOX.x', expires_at: '2026-01-02T03:04:05.000Z' });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(gateway.received[0]?.body).toEqual({ infraEnvId: INFRA_ENV_ID, hostId: HOST_ID, publicKey: 'UKEY' });
  });

  it('returns 503 instead of 404 when a registered host is not readable in time', async () => {
    await gateway.answers(registerHost, () => ({ stored: { position: 5, revision: 0 }, agentVersion: 'agent:1' }));
    const answer = await gateway.call('POST', HOSTS, { json: { host_id: HOST_ID } });
    expect(answer).toMatchObject({ status: 503, body: { code: '503' } });
    expect(answer.headers.get('retry-after')).not.toBeNull();
  });

  it.each([
    ['none', undefined],
    ['local', 'api_key'],
  ])('adds the URLs of the boot artifacts to the steps of a reclaim (AUTH_TYPE=%s)', async (authType, parameter) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = {
      EC_PRIVATE_KEY_PEM: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      EC_PUBLIC_KEY_PEM: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    };
    await gateway.close();
    gateway = await startRunningGateway({ AUTH_TYPE: authType, ...(parameter && keys) });
    await gateway.project(3, [infraEnvDocument()]);
    await gateway.answers(nextSteps, () => ({
      instructions: [{ stepType: 'download-boot-artifacts', args: ['{"host_fs_mount_dir":"/host"}'] }],
    }));
    const { SignJWT } = await import('jose');
    const token =
      parameter &&
      (await new SignJWT({ infra_env_id: INFRA_ENV_ID }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey));
    const headers: Record<string, string> = token ? { 'x-secret-key': token } : {};
    const answer = await gateway.call('GET', `${HOSTS}/${HOST_ID}/instructions`, { headers });
    const steps = answer.body as unknown as { readonly instructions: readonly { readonly args: readonly string[] }[] };
    const args = JSON.parse(steps.instructions[0]?.args[0] ?? '') as Record<string, string>;
    const artifacts = 'http://127.0.0.1:8888/boot-artifacts';
    expect(args).toEqual({
      host_fs_mount_dir: '/host',
      kernel_url: `${artifacts}/kernel?arch=x86_64&version=4.18`,
      rootfs_url: `${artifacts}/rootfs?arch=x86_64&version=4.18`,
      initrd_url: expect.stringContaining(`/images/${INFRA_ENV_ID}/pxe-initrd?arch=x86_64&version=4.18`) as string,
    });
    const given = new URL(args['initrd_url'] ?? '').searchParams;
    expect([...given.keys()]).toEqual(['arch', 'version', ...(parameter ? [parameter] : [])]);

    const onBus = await gateway.bus.request(agentSubject(INFRA_ENV_ID, HOST_ID, 'next_steps'), {}, {}, 5_000);
    expect(JSON.stringify(onBus)).toContain('pxe-initrd');
  });

  it('returns null without steps, omits seconds of 0 and step ids that are empty, and returns arguments as strings', async () => {
    const replies: JsonObject[] = [
      { instructions: [], nextInstructionSeconds: 0, postStepAction: 'exit' },
      {
        instructions: [
          { stepType: 'inventory', stepId: 'inventory-1a2b3c4d', args: [HOST_ID] },
          { stepType: 'upgrade-agent', args: ['{}'] },
        ],
        nextInstructionSeconds: 60,
        postStepAction: 'continue',
      },
    ];
    await gateway.answers(nextSteps, () => replies.shift() ?? {});
    const path = `${HOSTS}/${HOST_ID}/instructions?timestamp=1700000000`;
    expect((await gateway.call('GET', path)).body).toEqual({ post_step_action: 'exit', instructions: null });
    expect((await gateway.call('GET', path, { headers: { discovery_agent_version: 'agent:2' } })).body).toEqual({
      next_instruction_seconds: 60,
      post_step_action: 'continue',
      instructions: [
        { step_type: 'inventory', step_id: 'inventory-1a2b3c4d', args: [HOST_ID] },
        { step_type: 'upgrade-agent', args: ['{}'] },
      ],
    });
    expect(gateway.received[1]?.body).toMatchObject({
      timestampSeconds: 1_700_000_000,
      discoveryAgentVersion: 'agent:2',
    });
  });

  it('delays the reply to a poll without steps until a wake-up leads to steps', async () => {
    const empty = { instructions: [], nextInstructionSeconds: 1, postStepAction: 'continue', holdSeconds: 20 };
    const install = {
      ...empty,
      instructions: [{ stepType: 'install', stepId: 'install-1', args: [] }],
      holdSeconds: 0,
    };
    const replies: JsonObject[] = [empty, empty, install];
    await gateway.answers(nextSteps, () => replies.shift() ?? {});
    const poll = gateway.call('GET', `${HOSTS}/${HOST_ID}/instructions`);
    await eventually('the first request for steps is sent', async () => gateway.received.length === 1);
    gateway.bus.publish(agentSubject(INFRA_ENV_ID, COMMAND_ID, 'nudge'), { reason: 'another host' });
    const wakeUp = () => gateway.bus.publish(agentSubject(INFRA_ENV_ID, HOST_ID, 'nudge'), { reason: 'status' });
    wakeUp();
    await eventually('the request is repeated', async () => gateway.received.length === 2);
    wakeUp();
    expect((await poll).body).toMatchObject({ instructions: [{ step_type: 'install' }] });
    expect(gateway.received).toHaveLength(3);
  });

  it('shows the time of the last poll although the poll is not stored', async () => {
    await gateway.answers(nextSteps, () => ({ instructions: [], nextInstructionSeconds: 60 }));
    await gateway.project(2, [hostDocument({ checked_in_at: '2020-01-01T00:00:00.000Z' })]);
    const seen = async () => (await gateway.call('GET', `${HOSTS}/${HOST_ID}`)).body as { checked_in_at: string };
    expect((await seen()).checked_in_at).toBe('2020-01-01T00:00:00.000Z');
    const before = new Date().toISOString();
    await gateway.call('GET', `${HOSTS}/${HOST_ID}/instructions`);
    expect((await seen()).checked_in_at >= before).toBe(true);
  });

  it('returns 204 for a step reply and 200 for a progress report', async () => {
    await gateway.answers(replyToStep, () => ({ stored: { position: 1, revision: 1 } }));
    await gateway.answers(reportHostProgress, () => ({ stored: { position: 1, revision: 1 } }));
    const reply = {
      step_type: 'inventory',
      step_id: 'inventory-1',
      exit_code: 0,
      output: '{"hostname":"a"}',
      error: '',
    };
    expect((await gateway.call('POST', `${HOSTS}/${HOST_ID}/instructions`, { json: reply })).status).toBe(204);
    expect(gateway.received[0]?.body).toMatchObject({ stepType: 'inventory', output: '{"hostname":"a"}', exitCode: 0 });
    const progress = { current_stage: 'Writing image to disk', progress_info: '42%' };
    expect((await gateway.call('PUT', `${HOSTS}/${HOST_ID}/progress`, { json: progress })).status).toBe(200);
    expect(gateway.received[1]?.body).toMatchObject({ stage: 'Writing image to disk', progressInfo: '42%' });
    const unknown = await gateway.call('PUT', `${HOSTS}/${HOST_ID}/progress`, { json: { current_stage: 'Dreaming' } });
    expect(unknown).toMatchObject({ status: 400, body: { code: 400 } });
  });

  it.each([
    ['not-found', 404, { kind: 'Error', code: '404' }],
    ['host-already-installed', 409, { kind: 'Error', code: '409' }],
    ['host-must-boot-from-disk', 400, { code: '400' }],
  ] as const)('answers refusal %s with %d', async (code, status, body) => {
    await gateway.refuses(registerHost, { code, reason: 'Because.' });
    expect(await gateway.call('POST', HOSTS, { json: { host_id: HOST_ID } })).toMatchObject({ status, body });
  });

  const notes = () => gateway.received.flatMap(({ body }) => (body['note'] ? [body['note']] : []));

  it('records a refused registration in the event log once, although the host repeats it', async () => {
    await gateway.answers(EventsService.method.recordNote, () => ({ position: 9 }));
    await gateway.refuses(registerHost, { code: 'cluster-does-not-accept-hosts', reason: 'It is being installed.' });
    for (const _ of [1, 2]) await gateway.call('POST', HOSTS, { json: { host_id: HOST_ID } });
    await eventually('the refusal is recorded', async () => notes().length > 0);
    expect(notes()).toEqual([
      expect.objectContaining({
        name: 'host_registration_failed',
        severity: 'error',
        message: 'It is being installed.',
        hostId: HOST_ID,
        infraEnvId: INFRA_ENV_ID,
      }),
    ]);
  });

  it('records no refusal for an infra-env that does not exist', async () => {
    await gateway.answers(EventsService.method.recordNote, () => ({ position: 9 }));
    await gateway.refuses(registerHost, { code: 'not-found', reason: 'There is no such infra-env.' });
    await gateway.call('POST', HOSTS, { json: { host_id: HOST_ID } });
    await gateway.refuses(bindHost, { code: 'not-allowed-in-state', reason: 'It is bound.' });
    await gateway.call('POST', `${HOSTS}/${HOST_ID}/actions/bind`, { json: { cluster_id: COMMAND_ID } });
    await eventually('the next refusal is recorded', async () => notes().length > 0);
    expect(notes()).toEqual([expect.objectContaining({ name: 'host_bind_failed', clusterId: COMMAND_ID })]);
  });

  it('answers agents on the bus through the same handlers, with the ids of the subject', async () => {
    await gateway.answers(nextSteps, () => ({
      instructions: [],
      nextInstructionSeconds: 60,
      postStepAction: 'continue',
    }));
    const reply = await gateway.bus.request(
      agentSubject(INFRA_ENV_ID, HOST_ID, 'next_steps'),
      { infraEnvId: 'another', hostId: 'another', discoveryAgentVersion: 'agent:1', timestampSeconds: 3 },
      { [HEADERS.commandId]: COMMAND_ID, [HEADERS.actor]: 'admin', [HEADERS.org]: 'forged' },
      5_000,
    );
    expect(reply).toMatchObject({ ok: { instructions: [], nextInstructionSeconds: 60, postStepAction: 'continue' } });
    expect(gateway.received[0]?.body).toMatchObject({ infraEnvId: INFRA_ENV_ID, hostId: HOST_ID, timestampSeconds: 3 });
    expect(gateway.received[0]?.headers).toEqual({
      [HEADERS.commandId]: `${INFRA_ENV_ID}.${HOST_ID}.${COMMAND_ID}`,
      [HEADERS.correlationId]: expect.any(String),
      [HEADERS.actor]: `agent:${HOST_ID}`,
    });
  });

  it('executes a request once that its agent repeats before the answer', async () => {
    const waiting: (() => void)[] = [];
    await gateway.answers(replyToStep, async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { stored: { position: waiting.length, revision: 1 } };
    });
    const reply = (commandId: string) =>
      gateway.bus.request(
        agentSubject(INFRA_ENV_ID, HOST_ID, 'reply_to_step'),
        { stepType: 'inventory', stepId: 'inventory-1' },
        { [HEADERS.commandId]: commandId },
        5_000,
      );
    const answers = [reply(COMMAND_ID), reply(COMMAND_ID), reply(INFRA_ENV_ID)];
    await eventually('the service has both requests', async () => waiting.length === 2);
    waiting.forEach((end) => end());
    const [first, second] = await Promise.all(answers);
    expect(first).toMatchObject({ ok: { stored: { revision: 1 } } });
    expect(second).toEqual(first);
    const again = reply(COMMAND_ID);
    await eventually('the service has a repetition after the answer', async () => waiting.length === 3);
    waiting[2]?.();
    await again;
    expect(gateway.received).toHaveLength(3);
  });

  it('returns a refusal over the bus unchanged', async () => {
    await gateway.refuses(registerHost, { code: 'identity-conflict', reason: 'Two machines.', allowed: ['one'] });
    const reply = await gateway.bus.request(agentSubject(INFRA_ENV_ID, HOST_ID, 'register'), {}, {}, 5_000);
    expect(reply).toEqual({
      refusal: { code: 'identity-conflict', reason: 'Two machines.', subject: '', allowed: ['one'] },
    });
  });

  it.each([
    ['a subject with an infra-env id that is not a UUID', agentSubject('me', HOST_ID, 'register'), {}],
    [
      'a message that does not match its schema',
      agentSubject(INFRA_ENV_ID, HOST_ID, 'reply_to_step'),
      { exitCode: 'zero' },
    ],
    ['a message with an unknown field', agentSubject(INFRA_ENV_ID, HOST_ID, 'reply_to_step'), { exit: 0 }],
    [
      'a step that is not known',
      agentSubject(INFRA_ENV_ID, HOST_ID, 'reply_to_step'),
      { stepType: 'x'.repeat(99_999) },
    ],
  ])('refuses %s', async (_, subject, body) => {
    expect(await gateway.bus.request(subject, body, {}, 5_000)).toMatchObject({ refusal: { code: 'invalid-input' } });
    expect(gateway.received).toEqual([]);
  });

  it('notices that a host is readable when the announcement of the projection is lost', async () => {
    await gateway.answers(registerHost, () => {
      // The documents are stored, but the announcement is not published.
      setTimeout(() => {
        const { collection, key, document } = hostDocument();
        const change = { kind: 'put' as const, collection, key, document: document as unknown as JsonObject };
        void gateway.platform.readModels.commit('views', 5, [change]);
      }, 40);
      return { stored: { position: 5, revision: 0 }, agentVersion: 'agent:1' };
    });
    expect((await gateway.call('POST', HOSTS, { json: { host_id: HOST_ID } })).status).toBe(201);
  });
});
