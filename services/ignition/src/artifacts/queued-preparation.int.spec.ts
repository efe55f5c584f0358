import { type NatsServer, startNatsServer } from '@muster/testing';
import { CLUSTER_ID, givenReadyCluster, openStage, preparationStarted, type Stage } from '../ignition.fixture.spec';
import type { Toolchain } from '../toolchain/toolchain.port';

jest.mock('../toolchain/builtin-toolchain', () => {
  const actual = jest.requireActual<{ builtinToolchain: (...args: unknown[]) => Toolchain }>(
    '../toolchain/builtin-toolchain',
  );
  const builtinToolchain = (...args: unknown[]): Toolchain => {
    const toolchain = actual.builtinToolchain(...args);
    return {
      ...toolchain,
      make: (order, keep, report) => {
        for (const [minute, ahead] of [
          [1, 7],
          [2, 2],
        ] as const)
          report.queued({ minute, ahead });
        return toolchain.make(order, keep, report);
      },
    };
  };
  return { builtinToolchain };
});

describe('a preparation that waits for others', () => {
  let nats: NatsServer;
  let stage: Stage;
  beforeAll(async () => {
    nats = await startNatsServer();
  });
  afterAll(() => nats.stop());
  beforeEach(async () => {
    stage = await openStage(nats.url);
    await givenReadyCluster(stage);
  });
  afterEach(() => stage.close());

  it('stores each report of its toolchain before its artifacts', async () => {
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.start();
    await stage.fact('ArtifactsPrepared');
    const [first, second, ...others] = await stage.factsOf('artifact', CLUSTER_ID);
    const data = { clusterId: CLUSTER_ID, attempt: 1 };
    expect(first).toMatchObject({ type: 'PreparationQueued', data: { ...data, minute: 1, ahead: 7 } });
    expect(second).toMatchObject({ type: 'PreparationQueued', data: { ...data, minute: 2, ahead: 2 } });
    expect(others.map(({ type }) => type)).toEqual(['ArtifactsPrepared']);
  });
});
