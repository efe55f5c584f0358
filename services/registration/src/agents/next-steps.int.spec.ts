import { rootCertificates } from 'node:tls';
import {
  EventsService,
  type HostKey,
  parseHostKey,
  RegistrationService,
  streamIdOf,
  subjectOfMethod,
} from '@muster/contracts';
import { keptJson } from '@muster/nest-kit';
import type { JsonObject } from '@muster/ports';
import { eventually } from '@muster/testing';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';
import { NextSteps } from './next-steps';
import { HostClocks } from './step-replies';

describe('the agent of a host in a ready cluster', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const poll = (key: HostKey, receivesNudges = false) =>
    running.ask(RegistrationService.method.nextSteps, { ...parseHostKey(key), receivesNudges });

  it('gets a delayed reply until steps are due, unless it receives wake-ups', async () => {
    const cluster = new TestCluster(running);
    const [key] = await cluster.ready();
    if (!key) throw new Error('the cluster has no hosts');
    // After a check of new hosts, more of them may follow soon.
    expect(await poll(key, true)).toMatchObject({ nextInstructionSeconds: 15, holdSeconds: 0 });
    expect(await poll(key, true)).toMatchObject({ nextInstructionSeconds: 60, holdSeconds: 0 });
    running.clock.advance(60_000);
    const first = await poll(key);
    expect(first).toMatchObject({ nextInstructionSeconds: 1, holdSeconds: 0 });
    expect(first.instructions.length).toBeGreaterThan(3);
    running.clock.advance(2_000);
    expect(await poll(key)).toMatchObject({ nextInstructionSeconds: 1, holdSeconds: 20, instructions: [] });
    running.clock.advance(60_000);
    expect((await poll(key)).instructions.length).toBeGreaterThan(3);
  });

  it('gets the other hosts of the cluster with their JSON', async () => {
    const cluster = new TestCluster(running);
    const [key] = await cluster.ready();
    if (!key) throw new Error('the cluster has no hosts');
    const request = { ...parseHostKey(key), discoveryAgentVersion: '', timestampSeconds: 0, receivesNudges: true };
    const plan = await running.part(NextSteps).plan(request);
    const check = plan.instructions.find(({ stepType }) => stepType === 'connectivity-check');
    expect([...(keptJson(plan) ?? [])]).toEqual([[check?.stepId, JSON.stringify(check?.args[0])]]);
  });

  it('is no longer in memory when the host is installed, also when it polls again', async () => {
    const cluster = new TestCluster(running);
    const keys = await cluster.ready();
    const [installed, ...others] = keys;
    if (!installed) throw new Error('the cluster has no hosts');
    const timestampSeconds = 1 + running.clock.nowMs() / 1_000;
    const pollAll = () =>
      Promise.all(
        keys.map((key) =>
          running.ask(RegistrationService.method.nextSteps, { ...parseHostKey(key), timestampSeconds }),
        ),
      );
    const inMemory = (): readonly (readonly string[])[] =>
      [running.part(NextSteps)['pace']['rounds'], running.part(HostClocks)['offsets']].map((entries) =>
        [...entries.keys()].filter((key) => keys.some((own) => own === key)).sort(),
      );
    await pollAll();
    expect(inMemory()).toEqual([keys.toSorted(), keys.toSorted()]);
    await running.append(streamIdOf('host', installed), {
      type: 'HostEnteredStatus',
      data: { status: 'installed', from: 'installing-in-progress', transition: 't' },
    });
    expect(inMemory()).toEqual([others.toSorted(), others.toSorted()]);
    await pollAll();
    expect(inMemory()).toEqual([others.toSorted(), others.toSorted()]);
  });

  it('checks the images that the release names', async () => {
    const cluster = new TestCluster(running);
    const [key] = await cluster.ready();
    if (!key) throw new Error('the cluster has no hosts');
    await cluster.install();
    await cluster.releaseRead('quay.io/mco@sha256:1', 'quay.io/must-gather@sha256:2');
    const images = async (): Promise<readonly string[]> => {
      const { instructions } = await poll(key, true);
      const step = instructions.find(({ stepType }) => stepType === 'container-image-availability');
      return (JSON.parse(step?.args[0] ?? '{}') as { images?: string[] }).images ?? [];
    };
    await eventually('the images of the release', async () => (await images()).includes('quay.io/mco@sha256:1'));
    expect(await images()).toContain('quay.io/must-gather@sha256:2');
  });

  it('is installed with the CoreOS image when it runs from its disk, and not without it', async () => {
    const cluster = new TestCluster(running);
    const [key, other] = await cluster.installing();
    if (!key || !other) throw new Error('the cluster has no hosts');
    const { hostId } = parseHostKey(key);
    const notes: string[] = [];
    const listening = running.platform.requests.subscribe(
      subjectOfMethod(EventsService.method.recordNote),
      async ({ body }) => {
        const { note } = body as { readonly note: { readonly hostId: string; readonly message: string } };
        if (note.hostId === hostId) notes.push(note.message);
        return { ok: { position: 1 } };
      },
    );
    const installOf = async (host: HostKey): Promise<JsonObject | undefined> => {
      running.clock.advance(60_000);
      const step = (await poll(host)).instructions.find(({ stepType }) => stepType === 'install');
      return step && (JSON.parse(step.args[0] ?? '') as JsonObject);
    };
    expect(await installOf(key)).not.toHaveProperty('coreos_image');
    await cluster.reportInventory(key, 1, { bootDeviceType: 'persistent' });
    await eventually('the host gets no install step', async () => (await installOf(key)) === undefined);
    await eventually('the reason is in the event log', () => notes.length > 0);
    listening.unsubscribe();
    expect(notes).toEqual([
      expect.stringMatching(/^The step install of host node failed: The host runs from its disk/),
    ]);
    await cluster.releaseRead('quay.io/mco@sha256:1', 'quay.io/must-gather@sha256:2', 1, 'quay.io/coreos@sha256:3');
    await eventually('the host gets the install step', async () => (await installOf(key)) !== undefined);
    expect(await installOf(key)).toMatchObject({ coreos_image: 'quay.io/coreos@sha256:3' });
    expect(await installOf(other)).not.toHaveProperty('coreos_image');
  });

  it('gets no list of the other hosts that is too long for a message, and the event log has the reason', async () => {
    const cluster = new TestCluster(running);
    const keys = await cluster.ready(11);
    const [key] = keys;
    if (!key) throw new Error('the cluster has no hosts');
    const notes: string[] = [];
    const listening = running.platform.requests.subscribe(
      subjectOfMethod(EventsService.method.recordNote),
      async ({ body }) => {
        const { note } = body as { readonly note: { readonly hostId: string; readonly message: string } };
        if (note.hostId === parseHostKey(key).hostId) notes.push(note.message);
        return { ok: { position: 1 } };
      },
    );
    const typesOf = async () => {
      running.clock.advance(60_000);
      return (await poll(key)).instructions.map(({ stepType }) => stepType);
    };
    const nics = Array.from({ length: 1_900 }, (_, n) => ({
      name: `enp${n}s0f0np0`.padEnd(256, '0'),
      macAddress: '02:00:00:00:00:01',
      ipv4Addresses: ['192.0.2.10/24'],
      ipv6Addresses: ['fd00:1234:5678:9abc:def0:1234:5678:9999/64'],
    }));
    expect(await typesOf()).toContain('connectivity-check');
    for (const other of keys) await cluster.reportInventory(other, 1, { nics });
    await eventually('the list is too long', async () => !(await typesOf()).includes('connectivity-check'));
    expect(await typesOf()).toContain('inventory');
    await eventually('the reason is in the event log', () => notes.length > 0);
    listening.unsubscribe();
    expect(notes).toEqual([
      expect.stringMatching(/^The step connectivity-check of host .* is too long for one message/),
    ]);
  });

  it('is installed with the CoreOS image of the cluster that it joins', async () => {
    const cluster = new TestCluster(running);
    await cluster.register(
      { apiVipDnsName: 'api.old.example.com', apiVips: undefined, ingressVips: undefined },
      { kind: 'AddHostsCluster', imported: true, pullSecret: '' },
    );
    await cluster.registerInfraEnv();
    const key = await cluster.knownHost();
    await cluster.reportInventory(key, 1, { bootDeviceType: 'persistent' });
    const body = { digest: 'sha256:0', bytes: 1 };
    await running.append(streamIdOf('inventory', key), {
      type: 'ApiVipConnectivityReported',
      data: {
        generation: 1,
        isSuccess: true,
        body,
        diskEncryption: 'none',
        networking: '',
        osImageUrl: 'quay.io/os:1',
      },
    });
    await running.ask(RegistrationService.method.installHost, parseHostKey(key));
    const { instructions } = await poll(key);
    expect(instructions.map(({ args }) => JSON.parse(args[0] ?? '') as unknown)).toMatchObject([
      { coreos_image: 'quay.io/os:1' },
    ]);
  });

  describe('that joins a running cluster with an Ignition override', () => {
    const override = (...authorities: readonly string[]): string => {
      const certificateAuthorities = authorities.map((source) => ({ source: `data:,${encodeURIComponent(source)}` }));
      return JSON.stringify({ ignition: { version: '3.2.0', security: { tls: { certificateAuthorities } } } });
    };
    const joining = async (ignitionEndpoint?: object): Promise<{ key: HostKey; check: () => Promise<JsonObject> }> => {
      const cluster = new TestCluster(running);
      await cluster.register(
        { apiVipDnsName: 'api.old.example.com', apiVips: undefined, ingressVips: undefined, ignitionEndpoint },
        { kind: 'AddHostsCluster', imported: true, pullSecret: '' },
      );
      await cluster.registerInfraEnv();
      const key = await cluster.knownHost();
      const check = async (): Promise<JsonObject> => {
        running.clock.advance(60_000);
        const { instructions } = await poll(key);
        const step = instructions.find(({ stepType }) => stepType === 'api-vip-connectivity-check');
        const { ca_certificate, ...others } = JSON.parse(step?.args[0] ?? '{}') as { ca_certificate?: string };
        return { ...others, ca: ca_certificate ? Buffer.from(ca_certificate, 'base64').toString() : '' };
      };
      return { key, check };
    };
    const revise = (key: HostKey, ignitionConfigOverrides: string) =>
      running.ask(RegistrationService.method.reviseHost, { ...parseHostKey(key), ignitionConfigOverrides });
    const secure = 'https://api-int.old.example.com:22623/config/worker';

    it('checks the endpoint with the authorities of the override, which it reads once', async () => {
      const { key, check } = await joining();
      expect(await check()).toMatchObject({ url: 'http://api.old.example.com:22624/config/worker', ca: '' });
      await revise(key, override('first', 'second'));
      expect(await check()).toMatchObject({ url: secure, ca: expect.stringMatching(/^\s*first\s+second$/) });
      const open = jest.spyOn(running.platform.secrets, 'open');
      expect(await check()).toMatchObject({ url: secure });
      expect(open).not.toHaveBeenCalled();
      open.mockRestore();
      await revise(key, override());
      expect(await check()).toMatchObject({ url: 'http://api.old.example.com:22624/config/worker', ca: '' });
    });

    it('adds them to those of the cluster', async () => {
      const [authority = ''] = rootCertificates;
      const { key, check } = await joining({ ca_certificate: Buffer.from(authority).toString('base64') });
      expect(await check()).toMatchObject({ url: secure, ca: authority });
      await revise(key, override('first'));
      expect(await check()).toMatchObject({
        url: secure,
        ca: expect.stringMatching(new RegExp(`^${authority.replaceAll('+', '\\+')}\\s+first$`)),
      });
    });
  });

  it('has the version of its last poll, which is stored once', async () => {
    const cluster = new TestCluster(running);
    const [key] = await cluster.ready(1, { controlPlaneCount: 1 });
    if (!key) throw new Error('the cluster has no hosts');
    const pollAs = (discoveryAgentVersion: string) =>
      running.ask(RegistrationService.method.nextSteps, { ...parseHostKey(key), discoveryAgentVersion });
    await pollAs('agent:2');
    const stored = await running.types(streamIdOf('host', key));
    expect((await running.host(key)).agentVersion).toBe('agent:2');
    await pollAs('agent:2');
    await pollAs('');
    expect(await running.types(streamIdOf('host', key))).toEqual(stored);
    expect(stored.filter((type) => type === 'HostAgentReplaced')).toHaveLength(1);
  });

  it('gets its first steps after a restart without a read of the streams of its host and cluster', async () => {
    const cluster = new TestCluster(running);
    const keys = await cluster.ready();
    await running.restart();
    await running.settled();
    const read = jest.spyOn(running.platform.eventStore, 'readStream');
    for (const key of keys) expect((await poll(key)).instructions.length).toBeGreaterThan(0);
    expect(read.mock.calls).toEqual([]);
    read.mockRestore();
  });

  it('polls once a minute while the cluster waits for input, after its first inventory', async () => {
    const cluster = new TestCluster(running);
    await cluster.register();
    await cluster.registerInfraEnv();
    const key = await cluster.registerHost();
    expect(await poll(key)).toMatchObject({ nextInstructionSeconds: 5, holdSeconds: 0 });
    await cluster.reportInventory(key);
    await cluster.evaluateHostOutcomes(key);
    await eventually('the host has left discovering', async () => (await running.host(key)).status !== 'discovering');
    expect(await poll(key)).toMatchObject({ nextInstructionSeconds: 60, holdSeconds: 0 });
  });
});
