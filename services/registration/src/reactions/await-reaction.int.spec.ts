import { randomUUID } from 'node:crypto';
import { RegistrationService, streamIdOf } from '@muster/contracts';
import { callService } from '@muster/nest-kit';
import { START_OF_STORE } from '@muster/ports';
import { eventually } from '@muster/testing';
import { SUFFICIENT, TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('a request that waits for reactions', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const awaitReaction = async (subjectId: string, position: number): Promise<number> => {
    const context = { commandId: randomUUID(), correlationId: 'c', actor: 'test' };
    return (await callService(running.platform.requests, method.awaitReaction, { position, subjectId }, context))
      .position;
  };

  it('waits for those of its cluster or host only', async () => {
    const [own, other] = [new TestCluster(running), new TestCluster(running)];
    const [key] = await own.ready(1, { controlPlaneCount: 1 });
    const [otherKey] = await other.ready(1, { controlPlaneCount: 1 });
    if (!key || !otherKey) throw new Error('there are hosts');

    let finish: (() => void) | undefined;
    running.evaluation = () => new Promise((resolve) => (finish = () => resolve(START_OF_STORE)));
    const evaluated = other.evaluateHostOutcomes(otherKey, { ...SUFFICIENT, sufficientForInstall: false });
    await eventually('a reaction of the other cluster waits', () => finish !== undefined);

    let isFollowed = false;
    const head = await running.store.head();
    const all = awaitReaction('', head).then(() => (isFollowed = true));
    const [ownLast] = (await running.events(streamIdOf('cluster', own.id))).slice(-1);
    expect(await awaitReaction(own.id, ownLast?.position ?? NaN)).toBe(ownLast?.position);
    expect(await awaitReaction(key, head)).toBe(head);
    expect(isFollowed).toBe(false);
    finish?.();
    await all;
    await evaluated;
  });

  it('waits for those of the hosts of its infra-env only', async () => {
    const [own, other] = [new TestCluster(running), new TestCluster(running)];
    await own.registerInfraEnv('');
    await own.registerHost();
    const [otherKey] = await other.ready(1, { controlPlaneCount: 1 });
    if (!otherKey) throw new Error('there is a host');

    let finish: (() => void) | undefined;
    running.evaluation = () => new Promise((resolve) => (finish = () => resolve(START_OF_STORE)));
    const evaluated = other.evaluateHostOutcomes(otherKey, { ...SUFFICIENT, sufficientForInstall: false });
    await eventually('a reaction of the other infra-env waits', () => finish !== undefined);

    let isFollowed = false;
    const head = await running.store.head();
    const others = awaitReaction(other.infraEnvId, head).then(() => (isFollowed = true));
    expect(await awaitReaction(own.infraEnvId, head)).toBe(head);
    expect(isFollowed).toBe(false);
    finish?.();
    await others;
    await evaluated;
  });

  it('learns the position of the last event that the reactions stored', async () => {
    const cluster = new TestCluster(running);
    const [key] = await cluster.ready(1, { controlPlaneCount: 1 });
    if (!key) throw new Error('there is a host');
    const before = await running.store.head();
    await cluster.evaluateHostOutcomes(key, { ...SUFFICIENT, sufficientForInstall: false });
    const [last] = (await running.events(streamIdOf('host', key))).slice(-1);
    expect(last?.position).toBeGreaterThan(before);
    expect(await awaitReaction(key, before)).toBe(last?.position);
    for (const id of [cluster.id, cluster.infraEnvId])
      expect(await awaitReaction(id, before)).toBeGreaterThanOrEqual(last?.position ?? NaN);
  });
});
