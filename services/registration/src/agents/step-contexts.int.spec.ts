import { randomUUID } from 'node:crypto';
import { type HostKey, hostKeyOf, parseHostKey, RegistrationService } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { CLUSTER_SETTINGS, HARDWARE, OWNER, PULL_SECRET, SUFFICIENT, TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

/** The connection of the host `known` was lost. */
const SILENT = { ...SUFFICIENT, connected: false };
const nicsAt = (address: string) => ({ nics: [{ ...HARDWARE.nics[0], ipv4Addresses: [address] }] });

interface Scene {
  readonly running: RunningRegistration;
  readonly cluster: TestCluster;
  readonly polling: HostKey;
  readonly other: HostKey;
}

interface ChangedInput {
  readonly what: string;
  readonly step: string;
  readonly change: (scene: Scene) => Promise<unknown>;
  /** Part of the arguments, which they contain only before the change. */
  readonly before?: (scene: Scene) => string;
  /** Part of the arguments, which they contain only after the change. */
  readonly after?: (scene: Scene) => string;
}

const hostId = (key: HostKey): string => parseHostKey(key).hostId;
const revise = ({ running, cluster }: Scene, changes: object) =>
  running.ask(method.reviseCluster, { clusterId: cluster.id, changes });
const reviseInfraEnv = ({ running, cluster }: Scene, ntpSources: string) =>
  running.ask(method.reviseInfraEnv, { infraEnvId: cluster.infraEnvId, changes: { ntpSources } });

const NEW_HOST = randomUUID();
const SECOND_INFRA_ENV = randomUUID();

async function registerInSecondInfraEnv(
  { running, cluster }: Scene,
  infraEnvId: string = SECOND_INFRA_ENV,
): Promise<void> {
  await running.ask(method.registerInfraEnv, {
    infraEnvId,
    settings: { name: 'second', cpuArchitecture: 'x86_64', clusterId: cluster.id, ntpSources: 'ntp.second.com' },
    owner: OWNER,
    pullSecret: PULL_SECRET,
  });
  await running.ask(method.registerHost, { infraEnvId, hostId: randomUUID() });
}

const CHANGED_INPUTS: readonly ChangedInput[] = [
  {
    what: 'another host reports other addresses',
    step: 'connectivity-check',
    change: ({ cluster, other }) => cluster.reportInventory(other, 1, nicsAt('192.0.2.77/24')),
    after: () => '192.0.2.77',
  },
  {
    what: 'another host joins the cluster',
    step: 'connectivity-check',
    change: async ({ cluster }) => {
      await cluster.registerHost(NEW_HOST);
      const key = hostKeyOf(cluster.infraEnvId, NEW_HOST);
      await cluster.reportInventory(key);
      await cluster.evaluateHostOutcomes(key);
    },
    after: () => NEW_HOST,
  },
  {
    what: 'another host leaves the cluster',
    step: 'connectivity-check',
    change: ({ running, other }) => running.ask(method.deregisterHost, parseHostKey(other)),
    before: ({ other }) => hostId(other),
  },
  {
    what: 'another host loses its connection',
    step: 'connectivity-check',
    change: ({ cluster, other }) => cluster.evaluateHostOutcomes(other, SILENT),
    before: ({ other }) => hostId(other),
  },
  {
    what: 'the host itself reports other addresses',
    step: 'free-network-addresses',
    change: ({ cluster, polling }) => cluster.reportInventory(polling, 1, nicsAt('198.51.100.7/24')),
    after: () => '198.51.100.0/24',
  },
  {
    what: 'the NTP sources of the cluster change',
    step: 'ntp-synchronizer',
    change: (scene) => revise(scene, { ntpSources: 'ntp.cluster.com' }),
    after: () => 'ntp.cluster.com',
  },
  {
    what: 'the NTP sources of the infra-env change',
    step: 'ntp-synchronizer',
    change: (scene) => reviseInfraEnv(scene, 'ntp.env.com'),
    after: () => 'ntp.env.com',
  },
  {
    what: 'a host of another infra-env joins the cluster',
    step: 'ntp-synchronizer',
    change: (scene) => registerInSecondInfraEnv(scene),
    after: () => 'ntp.second.com',
  },
  {
    what: 'two infra-envs have the same NTP source, one of them after a blank',
    step: 'ntp-synchronizer',
    change: async (scene) => {
      await reviseInfraEnv(scene, 'ntp.env.com, ntp.second.com');
      // The sources are in the order of the ids.
      await registerInSecondInfraEnv(scene, `ffffffff${randomUUID().slice(8)}`);
    },
    after: () => '"ntp.env.com,ntp.second.com"',
  },
  {
    what: 'the release image changes with the version',
    step: 'domain-resolution',
    change: (scene) =>
      revise(scene, { openshiftVersion: '4.19.1', ocpReleaseImage: 'registry.example.com/release:4.19.1' }),
    before: () => 'quay.io',
    after: () => 'registry.example.com',
  },
  {
    what: 'the VIPs change',
    step: 'verify-vips',
    change: (scene) => revise(scene, { apiVips: { items: ['192.0.2.150'] } }),
    before: () => CLUSTER_SETTINGS.apiVips.items[0] ?? '',
    after: () => '192.0.2.150',
  },
];

describe('the arguments of the next step change when', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  it.each(CHANGED_INPUTS)('$what', async ({ step, change, before, after }) => {
    const cluster = new TestCluster(running);
    const [polling, other] = await cluster.ready();
    if (!polling || !other) throw new Error('the cluster has no hosts');
    const scene = { running, cluster, polling, other };
    const argumentsNow = async (): Promise<string> => {
      const poll = { ...parseHostKey(polling), receivesNudges: true };
      const { instructions } = await running.ask(method.nextSteps, poll);
      return instructions.find(({ stepType }) => stepType === step)?.args.join(' ') ?? '';
    };
    type Part = ChangedInput['before'];
    const contain = (args: string, present: Part, absent: Part): boolean =>
      args !== '' && (!present || args.includes(present(scene))) && (!absent || !args.includes(absent(scene)));
    await eventually('the arguments before the change', async () => contain(await argumentsNow(), before, after));
    await change(scene);
    await eventually('the arguments after the change', async () => contain(await argumentsNow(), after, before));
  });
});
