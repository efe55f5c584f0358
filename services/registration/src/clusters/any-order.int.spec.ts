import { type HostKey, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { RefusalError } from '@muster/problems';
import fc from 'fast-check';
import { PREPARED, SUFFICIENT, TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';
import { RegistrationView } from '../view/registration-view';

const { method } = RegistrationService;
const MINUTE_MS = 60_000;
const HOSTS_MAX = 5;
const HOSTS_MIN = 3;
const CANCELLABLE = [
  'preparing-for-installation',
  'installing',
  'installing-pending-user-action',
  'finalizing',
  'error',
];

/** A cluster with hosts of its own infra-env and hosts that were bound later. */
class AnyOrder {
  readonly cluster: TestCluster;
  private readonly pool: TestCluster;
  private readonly input: { readonly clusterId: string };
  keys: HostKey[] = [];

  constructor(private readonly running: RunningRegistration) {
    this.cluster = new TestCluster(running);
    this.pool = new TestCluster(running);
    this.input = { clusterId: this.cluster.id };
  }

  async start(): Promise<void> {
    this.keys = await this.cluster.ready(HOSTS_MIN);
    await this.pool.registerInfraEnv('');
  }

  readonly actions = {
    install: () => this.cluster.install(),
    prepare: () => this.prepare(),
    'fail to prepare': async () => this.cluster.artifactsFailed('no space', (await this.state()).attempt),
    cancel: () => this.running.ask(method.cancelInstallation, this.input),
    reset: () => this.running.ask(method.resetCluster, this.input),
    'allow to add hosts': () => this.running.ask(method.allowAddHosts, this.input),
    complete: () => this.complete(),
    restart: () => this.restart(),
    register: (key: HostKey) => this.register(key),
    inspect: (key: HostKey) => this.inspect(key),
    'fail validations': (key: HostKey) => this.evaluate(key, { ...SUFFICIENT, sufficientForInstall: false }),
    'fall silent': (key: HostKey) => this.evaluate(key, { ...SUFFICIENT, connected: false }),
    'lose the media': (key: HostKey) => this.cluster.reply(key, 'inventory', { exitCode: 256 }),
    'fail to install': (key: HostKey) => this.cluster.reply(key, 'install', { exitCode: 1 }),
    'report a failure': (key: HostKey) => this.cluster.progress(key, 'Failed', 'no disk'),
    'reach the reboot': (key: HostKey) => this.cluster.progress(key, 'Rebooting'),
    'reach the end': (key: HostKey) => this.reachEnd([key]),
    'reach all ends': () => this.reachEnd(this.keys),
    unbind: (key: HostKey) => this.running.ask(method.unbindHost, { ...parseHostKey(key), reclaim: false }),
    reclaim: (key: HostKey) => this.running.ask(method.unbindHost, { ...parseHostKey(key), reclaim: true }),
    'install one host': (key: HostKey) => this.running.ask(method.installHost, parseHostKey(key)),
    'reset one host': (key: HostKey) => this.running.ask(method.resetHost, parseHostKey(key)),
    'become a worker': (key: HostKey) =>
      this.running.ask(method.reviseHost, { ...parseHostKey(key), hostRole: 'worker' }),
    remove: (key: HostKey) => this.remove(key),
    bind: () => this.bind(),
    wait: () => this.wait(9),
    'wait for a day': () => this.wait(25 * 60),
  };

  /** Refusals are expected. */
  async run(action: keyof AnyOrder['actions'], index: number): Promise<void> {
    const key = this.keys[index % this.keys.length];
    if (!key) throw new Error('the cluster has no hosts');
    try {
      await this.actions[action](key);
    } catch (error) {
      if (!(error instanceof RefusalError) || error.refusal.code === 'internal') throw error;
    }
  }

  state() {
    return this.running.cluster(this.cluster.id);
  }

  async storedByRestart(): Promise<readonly string[]> {
    const head = await this.running.store.head();
    await this.restart();
    const own = new Set<string>([
      streamIdOf('cluster', this.cluster.id),
      ...this.keys.map((key) => streamIdOf('host', key)),
    ]);
    const events = await this.running.allEvents();
    return events.filter(({ position, streamId }) => position > head && own.has(streamId)).map(({ type }) => type);
  }

  /** Cancels and resets the cluster. Hosts that do not allow it are removed. */
  async endInstallation(): Promise<void> {
    while (CANCELLABLE.includes((await this.state()).status))
      await this.running.ask(method.cancelInstallation, this.input).catch((error: Error) => this.removeNamed(error));
    while ((await this.state()).status === 'cancelled')
      await this.running.ask(method.resetCluster, this.input).catch((error: Error) => this.removeNamed(error));
  }

  /** All hosts boot the discovery image. Those that may not register are removed, and register as new ones. */
  async installAgain(): Promise<void> {
    for (const key of this.keys)
      await this.register(key).catch(async () => {
        await this.running.ask(method.deregisterHost, parseHostKey(key));
        await this.register(key);
      });
    const hosts = await Promise.all(this.keys.map((key) => this.running.host(key)));
    this.keys = this.keys.filter((_, index) => hosts[index]?.clusterId === this.cluster.id);
    while (this.keys.length < HOSTS_MIN) this.keys.push(await this.cluster.registerHost());
    for (const [index, key] of this.keys.entries()) {
      await this.cluster.poll(key);
      await this.inspect(key);
      const hostRole = index < HOSTS_MIN ? 'master' : 'worker';
      await this.running.ask(method.reviseHost, { ...parseHostKey(key), hostRole });
    }
    await this.cluster.evaluate();
    await this.cluster.install();
    await this.prepare();
  }

  async reachEnd(keys: readonly HostKey[]): Promise<void> {
    for (const stage of ['Starting installation', 'Rebooting', 'Done'])
      for (const key of keys) await this.cluster.progress(key, stage);
  }

  private async removeNamed({ message }: Error): Promise<void> {
    const named = this.keys.filter((key) => message.includes(parseHostKey(key).hostId));
    if (named.length === 0) throw new Error(`The refusal names no host: ${message}`);
    for (const key of named) await this.running.ask(method.deregisterHost, parseHostKey(key));
    this.keys = this.keys.filter((key) => !named.includes(key));
  }

  private async prepare(): Promise<void> {
    for (const key of this.keys) await this.evaluate(key, PREPARED);
    await this.cluster.artifactsPrepared((await this.state()).attempt);
  }

  private async complete(): Promise<void> {
    const console = { name: 'console', status: 'available', statusInfo: '', version: '' };
    await this.running.ask(method.reportOperatorStatus, { ...this.input, ...console });
    const data = { clusterId: this.cluster.id };
    await this.running.append(streamIdOf('artifact', this.cluster.id), { type: 'IngressCaAccepted', data });
  }

  private async register(key: HostKey): Promise<void> {
    const { infraEnvId, hostId } = parseHostKey(key);
    await (infraEnvId === this.pool.infraEnvId ? this.pool : this.cluster).registerHost(hostId);
  }

  private async inspect(key: HostKey): Promise<void> {
    await this.cluster.reportInventory(key, (await this.running.host(key)).generation);
    await this.evaluate(key, SUFFICIENT);
  }

  private async evaluate(key: HostKey, conditions: object): Promise<void> {
    await this.cluster.evaluateHostOutcomes(key, conditions, (await this.running.host(key)).generation);
  }

  private async remove(key: HostKey): Promise<void> {
    if (this.keys.length === 1) return;
    await this.running.ask(method.deregisterHost, parseHostKey(key));
    this.keys = this.keys.filter((other) => other !== key);
  }

  private async bind(): Promise<void> {
    if (this.keys.length === HOSTS_MAX) return;
    const key = await this.pool.registerHost();
    await this.inspect(key);
    await this.running.ask(method.bindHost, { ...parseHostKey(key), ...this.input });
    this.keys.push(key);
  }

  private async restart(): Promise<void> {
    await this.running.restart();
    await this.running.settled();
  }

  private async wait(minutes: number): Promise<void> {
    this.running.clock.advance(minutes * MINUTE_MS);
    await this.running.settled();
  }
}

/** Number of sequences, unless MUSTER_PROPERTY_RUNS is set. Each has a cluster of its own in the same store. */
const RUNS = 8;
const ACTIONS_MAX = 14;

describe('a cluster after any sequence of commands, reports and failures', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const names = Object.keys(new AnyOrder({} as RunningRegistration).actions) as (keyof AnyOrder['actions'])[];
  const sequence = fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(HOSTS_MAX)), { maxLength: ACTIONS_MAX });
  /** Half of the sequences begin during an installation. */
  const given = async (isInstalling: boolean, actions: readonly (readonly [(typeof names)[number], number])[]) => {
    const order = new AnyOrder(running);
    await order.start();
    if (isInstalling) for (const action of ['install', 'prepare'] as const) await order.run(action, 0);
    for (const [action, index] of actions) await order.run(action, index);
    return order;
  };

  it('can be reset and installed, unless it is installed', async () => {
    const property = fc.asyncProperty(fc.boolean(), sequence, async (isInstalling, actions) => {
      const order = await given(isInstalling, actions);
      await order.endInstallation();
      if (['installed', 'adding-hosts'].includes((await order.state()).status)) return;
      await order.installAgain();
      expect((await order.state()).status).toBe('installing');
      const hosts = await Promise.all(order.keys.map((key) => running.host(key)));
      expect(hosts.map(({ status }) => status)).toEqual(hosts.map(() => 'installing'));
      expect(hosts.filter(({ isBootstrap }) => isBootstrap)).toHaveLength(1);
      await order.reachEnd(order.keys);
      expect(await order.state()).toMatchObject({ status: 'finalizing', progress: { total: 80 } });
    });
    await fc.assert(property, { numRuns: fc.readConfigureGlobal().numRuns ?? RUNS });
  });

  it('is the same in memory as in the store, and a restart stores nothing', async () => {
    const property = fc.asyncProperty(fc.boolean(), sequence, async (isInstalling, actions) => {
      const order = await given(
        isInstalling,
        actions.filter(([action]) => !action.startsWith('wait')),
      );
      const view = running.part(RegistrationView);
      expect(view.cluster(order.cluster.id)?.state).toEqual(await order.state());
      for (const key of order.keys) expect(view.host(key)?.state).toEqual(await running.host(key));
      expect(await order.storedByRestart()).toEqual([]);
    });
    await fc.assert(property, { numRuns: fc.readConfigureGlobal().numRuns ?? RUNS });
  });
});
