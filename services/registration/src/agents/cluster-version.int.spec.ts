import { type HostKey, parseHostKey, RegistrationService } from '@muster/contracts';
import type { JsonObject } from '@muster/ports';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

/** Starts an installation, changes the setting, and returns the command of the installer after the restart. */
async function installAfter(change: { readonly from: string; readonly to: string }): Promise<JsonObject | undefined> {
  const environment = { CHECK_CLUSTER_VERSION: change.from };
  const running = await RunningRegistration.start(environment);
  try {
    const cluster = new TestCluster(running);
    const [key] = await cluster.installing();
    environment.CHECK_CLUSTER_VERSION = change.to;
    await running.restart();
    await running.settled();
    if (!key) throw new Error('the cluster has no hosts');
    return await installOf(running, key);
  } finally {
    await running.stop();
  }
}

async function installOf(running: RunningRegistration, key: HostKey): Promise<JsonObject | undefined> {
  running.clock.advance(60_000);
  const poll = { ...parseHostKey(key), receivesNudges: true };
  const { instructions } = await running.ask(RegistrationService.method.nextSteps, poll);
  const step = instructions.find(({ stepType }) => stepType === 'install');
  return step && (JSON.parse(step.args[0] ?? '') as JsonObject);
}

describe('the controller reports the cluster-version operator', () => {
  it('of a cluster that waits for it, although the setting is off now', async () => {
    expect(await installAfter({ from: 'true', to: 'false' })).toMatchObject({
      control_plane_count: 3,
      check_cvo: true,
    });
  });

  it('of no cluster that does not wait for it, although the setting is on now', async () => {
    const command = await installAfter({ from: 'false', to: 'true' });
    expect(command).toMatchObject({ control_plane_count: 3 });
    expect(command).not.toHaveProperty('check_cvo');
  });
});
