import { randomUUID } from 'node:crypto';
import { type HostKey, hostKeyOf, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import type { InputOf } from '@muster/nest-kit';
import { NO_HARDWARE } from '@muster/validation-rules';
import type { RunningRegistration } from './running-registration.fixture.spec';

const { method } = RegistrationService;
export const OWNER = { userName: 'alice', orgId: 'org-1', emailDomain: 'example.com' };
export const PULL_SECRET = '{"auths":{"quay.io":{"auth":"Y2FuYXJ5"}}}';

export const CLUSTER_SETTINGS = {
  name: 'ocp',
  baseDnsDomain: 'example.com',
  openshiftVersion: '4.18.3',
  ocpReleaseImage: 'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64',
  controlPlaneCount: 3,
  cpuArchitecture: 'x86_64',
  apiVips: { items: ['192.0.2.100'] },
  ingressVips: { items: ['192.0.2.101'] },
};

export const HARDWARE = {
  ...NO_HARDWARE,
  hostname: 'node',
  cpuArchitecture: 'x86_64',
  cpuCount: 8,
  physicalMemoryBytes: 34_359_738_368,
  usableMemoryBytes: 33_000_000_000,
  physicalMemoryMethod: 'dmidecode',
  disks: [
    { id: '/dev/disk/by-id/wwn-1', name: 'sda', path: '/dev/sda', driveType: 'SSD', sizeBytes: 128_000_000_000 },
    { id: '/dev/disk/by-id/wwn-2', name: 'sdb', path: '/dev/sdb', driveType: 'SSD', sizeBytes: 256_000_000_000 },
    { id: '/dev/disk/by-id/wwn-3', name: 'sdc', path: '/dev/sdc', driveType: 'SSD', sizeBytes: 1_000_000_000 },
  ],
  nics: [{ name: 'ens3', macAddress: '52:54:00:aa:00:01', ipv4Addresses: ['192.0.2.11/24'] }],
};

export const SUFFICIENT = {
  connected: true,
  mediaConnected: true,
  inventory: 'usable',
  minHardware: true,
  machineCidrDefined: true,
  vsphereDiskUuid: true,
  sufficientForInstall: true,
  diskSpeed: 'unknown',
  images: 'unknown',
};
export const PREPARED = { ...SUFFICIENT, diskSpeed: 'ok', images: 'ok' };
export const READY = { pendingInputsGiven: true, vipsDefined: true, requiredPassed: true };

/** A cluster with its infra-env on a running registration service, and the events of other services about it. */
export class TestCluster {
  readonly id: string = randomUUID();
  readonly infraEnvId: string = randomUUID();

  constructor(private readonly running: RunningRegistration) {}

  async register(settings: object = {}, request: Partial<InputOf<typeof method.registerCluster>> = {}): Promise<void> {
    await this.running.ask(method.registerCluster, {
      clusterId: this.id,
      settings: { ...CLUSTER_SETTINGS, ...settings },
      owner: OWNER,
      pullSecret: PULL_SECRET,
      ...request,
    });
  }

  /** Registers an infra-env of this cluster. With an empty cluster id, its hosts are in no cluster. */
  async registerInfraEnv(clusterId = this.id, settings: object = {}): Promise<void> {
    await this.running.ask(method.registerInfraEnv, {
      infraEnvId: this.infraEnvId,
      settings: { name: 'image', cpuArchitecture: 'x86_64', ...(clusterId ? { clusterId } : {}), ...settings },
      owner: OWNER,
      pullSecret: PULL_SECRET,
    });
  }

  async registerHost(hostId: string = randomUUID()): Promise<HostKey> {
    await this.running.ask(method.registerHost, { infraEnvId: this.infraEnvId, hostId, discoveryAgentVersion: AGENT });
    return hostKeyOf(this.infraEnvId, hostId);
  }

  async reportInventory(key: HostKey, generation = 1, hardware: object = {}): Promise<void> {
    await this.running.append(streamIdOf('inventory', key), {
      type: 'InventoryReported',
      data: {
        hostKey: key,
        generation,
        fingerprint: 'f',
        body: { digest: 'sha256:0', bytes: 1 },
        hardware: { ...HARDWARE, ...hardware },
      },
    });
  }

  async evaluateHostOutcomes(key: HostKey, conditions: object = SUFFICIENT, generation = 1): Promise<void> {
    const data = { hostKey: key, generation, conditions };
    await this.running.append(streamIdOf('validation', key), { type: 'HostOutcomesChanged', data });
  }

  async evaluate(conditions: object = READY): Promise<void> {
    const data = { clusterId: this.id, conditions };
    await this.running.append(streamIdOf('validation', this.id), { type: 'ClusterOutcomesChanged', data });
  }

  /** Registers a host with an inventory and passing validations. */
  async knownHost(): Promise<HostKey> {
    const key = await this.registerHost();
    await this.reportInventory(key);
    await this.evaluateHostOutcomes(key);
    return key;
  }

  /** Registers hosts until the cluster is `ready`. */
  async ready(hosts = 3, settings: object = {}): Promise<HostKey[]> {
    await this.register(settings);
    await this.registerInfraEnv();
    const keys: HostKey[] = [];
    for (let n = 0; n < hosts; n += 1) keys.push(await this.knownHost());
    await this.evaluate();
    return keys;
  }

  async install(): Promise<void> {
    await this.running.ask(method.installCluster, { clusterId: this.id });
  }

  async releaseRead(
    machineConfigOperatorImage: string,
    mustGatherImage: string,
    attempt = 1,
    coreosImage?: string,
  ): Promise<void> {
    const release = { coreosImage, releaseImage: 'quay.io/release:1', version: '4.18.3', coreosVersion: '' };
    const data = { clusterId: this.id, attempt, ...release, machineConfigOperatorImage, mustGatherImage };
    await this.running.append(streamIdOf('artifact', this.id), { type: 'ReleaseRead', data });
  }

  async artifactsPrepared(attempt = 1): Promise<void> {
    const data = { clusterId: this.id, attempt, openshiftClusterId: 'openshift-1', artifacts: [], toolchain: 't' };
    await this.running.append(streamIdOf('artifact', this.id), { type: 'ArtifactsPrepared', data });
  }

  async artifactsFailed(reason: string, attempt = 1): Promise<void> {
    const data = { clusterId: this.id, attempt, reason };
    await this.running.append(streamIdOf('artifact', this.id), { type: 'ArtifactsFailed', data });
  }

  /** Continues from `ready` to `installing`: hosts and artifacts are prepared. */
  async installing(hosts = 3, settings: object = {}): Promise<HostKey[]> {
    const keys = await this.ready(hosts, settings);
    await this.install();
    for (const key of keys) await this.evaluateHostOutcomes(key, PREPARED);
    await this.artifactsPrepared();
    return keys;
  }

  async progress(key: HostKey, stage: string, progressInfo = ''): Promise<void> {
    await this.running.ask(method.reportHostProgress, { ...parseHostKey(key), stage, progressInfo });
  }

  async poll(key: HostKey) {
    return this.running.ask(method.nextSteps, { ...parseHostKey(key), discoveryAgentVersion: AGENT });
  }

  async reply(key: HostKey, stepType: string, reply: Partial<InputOf<typeof method.replyToStep>> = {}) {
    return this.running.ask(method.replyToStep, { ...parseHostKey(key), stepType, exitCode: 0, ...reply });
  }
}

export const AGENT = 'quay.io/muster/agent:latest';
