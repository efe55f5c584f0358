import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHostKey, loadOrCreateNatsTrust, mintServiceCredentials, natsServerConfig } from '@muster/adapter-nats';
import { hostKeyOf, streamIdOf } from '@muster/contracts';
import { realTimer } from '@muster/host-api';
import type { EventStore, JsonValue, Requests, StreamId } from '@muster/ports';
import { memberAt } from '@muster/schema';
import { connectNats, createHttpTransport, createNatsTransport, MEDIA_LOST_EXIT_CODE } from '@muster/service-agent';
import { startEmbedded } from '@muster/service-muster';
import { embeddedSettings, eventually, type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { defineFleet } from '../load/fleet';

const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };
const AGENT = 'quay.io/muster/agent:latest';
const IDENTITY = { baseboardSerial: '', systemUuid: '', systemSerial: '', macAddresses: [], bootId: '' };
const MINUTE_MS = 60_000;
const never = new AbortController().signal;

/** The result of a step after which the host stream has an event: the discovery media was lost, or is connected again. */
const result = (exitCode: number) => ({ stepType: 'ntp-synchronizer', stepId: 's', exitCode, output: '', error: '' });
const [LOST, REGAINED] = [result(MEDIA_LOST_EXIT_CODE), { ...result(0), stepType: 'logs-gather' }];

describe('an agent on the bus, after a restart of all services', () => {
  jest.setTimeout(MINUTE_MS);
  const directory = temporaryDirectory();
  let settings: { readonly [name: string]: string };
  let server: NatsServer;
  let muster: Awaited<ReturnType<typeof startEmbedded>>;
  let store: EventStore;
  let requests: Requests;
  let stream: StreamId;
  let reads: StreamId[] = [];
  let sent: { readonly repeat: () => Promise<JsonValue>; readonly answer: JsonValue }[] = [];
  let openTransport: () => ReturnType<typeof createNatsTransport>;
  let restUrl: string;

  const start = async (): Promise<void> => {
    muster = await startEmbedded(settings, SILENT, (platform) => {
      store = platform.eventStore;
      const readStream: EventStore['readStream'] = (streamId, afterRevision) => {
        reads.push(streamId);
        return store.readStream(streamId, afterRevision);
      };
      return { ...platform, eventStore: { ...store, readStream } };
    });
    restUrl = muster.services.find(({ name }) => name === 'gateway')?.endpoints[0] ?? '';
  };
  const restart = async (): Promise<void> => {
    await muster.close();
    await start();
    reads = [];
  };
  const readsOfHost = (): number => reads.filter((streamId) => streamId === stream).length;
  const stored = async (): Promise<readonly string[]> => {
    const types: string[] = [];
    for await (const page of store.readStream(stream)) types.push(...page.map(({ type }) => type));
    return types.filter((type) => type.startsWith('HostMedia'));
  };
  const reached = (): unknown => memberAt(sent.at(-1)?.answer, 'reachedPosition');
  /** Polls until the answer is as recent as the last event of the host and of what follows from it. */
  const pollUntilCurrent = (transport: ReturnType<typeof createNatsTransport>): Promise<void> =>
    eventually('an answer has the present position', async () => {
      const head = await store.head();
      await transport.nextSteps(AGENT, 0, never);
      return reached() === head && head === (await store.head());
    });

  beforeAll(async () => {
    const trustFile = join(directory.path, 'trust.json');
    const trust = await loadOrCreateNatsTrust(trustFile);
    const nowMs = Date.now();
    server = await startNatsServer({ config: natsServerConfig(trust, { nowMs }) });
    const credentials = join(directory.path, 'services.creds');
    writeFileSync(credentials, mintServiceCredentials(trust, { name: 'services', nowMs }), { mode: 0o600 });
    settings = {
      ...embeddedSettings(join(directory.path, 'data')),
      NATS_URL: server.url,
      NATS_CREDENTIALS_FILE: credentials,
      NATS_TRUST_FILE: trustFile,
      AGENT_NATS_URL: server.url,
    };
    await start();
    const [host] = await defineFleet(restUrl, 1, 1);
    if (!host) throw new Error('there is one host');
    const { infraEnvId, hostId } = host;
    stream = streamIdOf('host', hostKeyOf(infraEnvId, hostId));
    const ids = { infraEnvId, hostId, timer: realTimer };
    const http = createHttpTransport({ ...ids, serviceUrl: restUrl, token: '' });
    await http.register(AGENT, IDENTITY, never);
    const { publicKey, seed } = createHostKey();
    const { jwt, inboxPrefix } = await http.busCredentials(publicKey, never);
    await http.close();
    requests = await connectNats({ url: server.url, identity: { jwt: () => jwt, seed }, inboxPrefix, name: 'agent' });
    const recorded: Requests = {
      ...requests,
      request: async (...given) => {
        const answer = await requests.request(...given);
        sent.push({ answer, repeat: () => requests.request(...given) });
        return answer;
      },
    };
    openTransport = () => createNatsTransport({ ...ids, requests: recorded });
  });
  beforeEach(() => {
    sent = [];
  });
  afterAll(async () => {
    await requests.close();
    await muster.close();
    await server.stop();
    directory.remove();
  });

  it('causes no read of the events of its host when it has received an answer before', async () => {
    const transport = openTransport();
    await pollUntilCurrent(transport);
    await restart();
    await transport.reply(LOST, never);
    await transport.nextSteps(AGENT, 0, never);
    await transport.reply(REGAINED, never);
    expect(readsOfHost()).toBe(0);
    expect(await stored()).toEqual(['HostMediaDisconnected', 'HostMediaReconnected']);
  });

  it('causes one read when it has not, as an agent of an earlier release', async () => {
    await pollUntilCurrent(openTransport());
    await restart();
    await openTransport().reply(LOST, never);
    expect(readsOfHost()).toBe(1);
  });

  it('receives the first answer for a repetition of what was stored before', async () => {
    const transport = openTransport();
    await pollUntilCurrent(transport);
    await transport.reply(REGAINED, never);
    const reply = sent.at(-1);
    const before = await stored();
    await restart();
    await transport.reply(LOST, never);
    expect(await reply?.repeat()).toMatchObject({ ok: memberAt(reply?.answer, 'ok') });
    expect(await stored()).toEqual([...before, 'HostMediaDisconnected']);
    await restart();
    expect(await reply?.repeat()).toMatchObject({ ok: memberAt(reply?.answer, 'ok') });
    expect(await stored()).toEqual([...before, 'HostMediaDisconnected']);
  });
});
