import { inMemoryEventStore, inMemoryReadModels } from '@muster/adapter-in-memory';
import { connectNatsRequests, type NatsRequests } from '@muster/adapter-nats';
import { COLLECTIONS, VIEWS_PROJECTION } from '@muster/assisted-api';
import { EventsService, hostKeyOf, RegistrationService, subjectOfMethod, ValidationService } from '@muster/contracts';
import { type InputOf, type Method, musterEventStore, Readiness } from '@muster/nest-kit';
import type { JsonObject } from '@muster/ports';
import { eventually, manualClock, type NatsServer, startNatsServer } from '@muster/testing';
import { GatewayReadModels } from '../views/documents';
import { Commands } from './commands';
import { ReadYourWrites } from './read-your-writes';

const { method } = RegistrationService;
const INFRA_ENV_ID = '11111111-1111-4111-8111-111111111111';
const HOST_ID = '22222222-2222-4222-8222-222222222222';
const [OLD, NEW] = ['33333333-3333-4333-8333-333333333333', '44444444-4444-4444-8444-444444444444'];
const KEY = hostKeyOf(INFRA_ENV_ID, HOST_ID);

describe('a command that changes inputs of validations', () => {
  const readModels = inMemoryReadModels();
  const asked = new Set<string>();
  let server: NatsServer;
  let requests: NatsRequests;
  let waiting: ReadYourWrites;
  let commands: Commands;
  let shownModels: GatewayReadModels;

  beforeAll(async () => {
    server = await startNatsServer();
    requests = await connectNatsRequests({ servers: server.url, name: 'test' });
    for (const reacting of [method.awaitReaction, ValidationService.method.awaitEvaluation])
      requests.subscribe(subjectOfMethod(reacting), ({ body }) => {
        const { position, subjectId } = body as { position: number; subjectId: string };
        asked.add(subjectId);
        return Promise.resolve({ ok: { position } });
      });
    for (const command of [
      method.reviseCluster,
      method.reviseHost,
      method.reviseInfraEnv,
      method.bindHost,
      method.unbindHost,
    ])
      requests.subscribe(subjectOfMethod(command), () =>
        Promise.resolve({ ok: { stored: { position: 0, revision: 0 } } }),
      );
    await requests.flush();
    shownModels = new GatewayReadModels(readModels);
    waiting = new ReadYourWrites(musterEventStore(inMemoryEventStore()), shownModels, requests, new Readiness());
    await waiting.onApplicationBootstrap();
    commands = new Commands(shownModels, requests, manualClock(), waiting);
  });
  afterAll(async () => {
    waiting.onApplicationShutdown();
    await requests.close();
    await server.stop();
  });

  let position = 0;
  const shown = async (collection: string, key: string, document: object): Promise<void> => {
    await readModels.commit(VIEWS_PROJECTION, (position += 1), [{ kind: 'put', collection, key, document }]);
  };
  const awaitedBy = async <M extends Method>(command: M, input: Partial<InputOf<M>>): Promise<readonly string[]> => {
    asked.clear();
    const context = { commandId: `c${(position += 1)}`, correlationId: 'c', actor: 'user:test' };
    await commands.execute(command, input as InputOf<M>, context);
    return [...asked];
  };

  it('waits for the reactions of its cluster, or of the cluster of its host', async () => {
    await shown(COLLECTIONS.hosts, KEY, { cluster_id: OLD });
    const host = { infraEnvId: INFRA_ENV_ID, hostId: HOST_ID };
    expect(await awaitedBy(method.reviseCluster, { clusterId: NEW })).toEqual([NEW]);
    expect(await awaitedBy(method.reviseHost, host)).toEqual([OLD]);
    expect(await awaitedBy(method.bindHost, { ...host, clusterId: NEW })).toEqual([NEW, OLD]);
  });

  it('is refused before it is sent while the read models are rebuilt', async () => {
    shownModels.refuseReads('at position 1 of 2');
    const sent = jest.spyOn(requests, 'request');
    const context = { commandId: 'c', correlationId: 'c', actor: 'user:test' };
    await expect(commands.execute(method.registerCluster, { clusterId: NEW } as never, context)).rejects.toMatchObject({
      refusal: { code: 'busy' },
    });
    expect(sent).not.toHaveBeenCalled();
    sent.mockRestore();
    shownModels.refuseReads(undefined);
  });

  it('is refused after it was stored when it creates what the read models do not contain in time', async () => {
    const { registerCluster } = method;
    const stored = { position: 99, revision: 0 };
    requests.subscribe(subjectOfMethod(registerCluster), () => Promise.resolve({ ok: { stored } }));
    await requests.flush();
    const late = jest.spyOn(waiting, 'passed').mockResolvedValue(false);
    const context = { commandId: 'c', correlationId: 'c', actor: 'test' };
    await expect(commands.execute(registerCluster, { clusterId: NEW } as never, context)).rejects.toMatchObject({
      refusal: { code: 'busy', reason: expect.stringContaining(`${NEW} is registered`) as string },
    });
    late.mockRestore();
  });

  it('is recorded with its refusal once an hour, unless the event log did not record it', async () => {
    const refusal = { code: 'not-allowed-in-state', reason: 'The cluster is ready' };
    requests.subscribe(subjectOfMethod(method.cancelInstallation), () => Promise.resolve({ refusal }));
    const noted: string[] = [];
    requests.subscribe(subjectOfMethod(EventsService.method.recordNote), () => {
      const answer: JsonObject = noted.length === 0 ? { refusal: { code: 'busy', reason: 'it starts' } } : { ok: {} };
      noted.push(Object.keys(answer).join());
      return Promise.resolve(answer);
    });
    await requests.flush();
    const cancel = (commandId: string) =>
      commands
        .send(method.cancelInstallation, { clusterId: NEW }, { commandId, correlationId: 'c', actor: 'user:test' })
        .catch(() => undefined);
    for (const count of [1, 2]) {
      await cancel(`cancel-${count}`);
      await eventually('the refusal is noted', () => noted.length === count);
    }
    await cancel('cancel-3');
    await commands.send(method.reviseCluster, { clusterId: NEW }, { commandId: 'r', correlationId: 'c', actor: 'a' });
    expect(noted).toEqual(['refusal', 'ok']);
  });

  it('waits for those of a host that leaves its cluster or is in none', async () => {
    const host = { infraEnvId: INFRA_ENV_ID, hostId: HOST_ID };
    await shown(COLLECTIONS.hosts, KEY, { cluster_id: OLD });
    expect(await awaitedBy(method.unbindHost, host)).toEqual([OLD, KEY]);
    await shown(COLLECTIONS.hosts, KEY, {});
    expect(await awaitedBy(method.reviseHost, host)).toEqual([KEY]);
  });

  it('waits for those of the cluster of an infra-env, or of its hosts when they may be in any cluster', async () => {
    await shown(COLLECTIONS.infraEnvs, INFRA_ENV_ID, { cluster_id: OLD });
    expect(await awaitedBy(method.reviseInfraEnv, { infraEnvId: INFRA_ENV_ID })).toEqual([OLD]);
    await shown(COLLECTIONS.infraEnvs, INFRA_ENV_ID, {});
    expect(await awaitedBy(method.reviseInfraEnv, { infraEnvId: INFRA_ENV_ID })).toEqual([INFRA_ENV_ID]);
  });
});
