import { IgnitionService, PULL_SECRET } from '@muster/contracts';
import { clusterDecider, isDay2, withoutCredentials } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { composeInstallConfig } from '@muster/ignition-config';
import {
  EVENT_STORE,
  Handles,
  type InputOf,
  type MusterEventStore,
  maskedProxy,
  openProxy,
  type OutputOf,
  SECRETS,
} from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import { Controller, Inject } from '@nestjs/common';
import { CONFIG, type IgnitionServiceConfig } from '../config';
import { withCertificateAuthority } from '../toolchain/cluster-access';
import { installConfigOf } from '../toolchain/install-config-input';
import { foldStream } from '../view/fold-stream';
import { InstallView } from '../view/install-view';
import { ARTIFACT_NAMES, ArtifactVault, isArtifactName, parseCertificateBundle } from './artifact-vault';
import { Artifacts } from './artifacts-process';
import { bootOf, byId, fencingOf, maskedFencing, openOverrides, roleOf, surroundingsOf } from './install-request';
import { JoiningHosts } from './joining-hosts';

type AcceptIngressCa = typeof IgnitionService.method.acceptIngressCa;

@Controller()
export class AcceptIngressCaController {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    private readonly artifacts: Artifacts,
    private readonly vault: ArtifactVault,
  ) {}

  /** 1. The state of the cluster permits it. 2. The first certificate wins. 3. The kubeconfig is sealed. 4. The event is stored. */
  @Handles(IgnitionService.method.acceptIngressCa)
  async handle(
    { clusterId, caBundlePem }: InputOf<AcceptIngressCa>,
    context: CommandContext,
  ): Promise<OutputOf<AcceptIngressCa>> {
    await this.refuseOtherStatuses(clusterId);
    const { state, position, revision } = await this.artifacts.of.load(clusterId);
    if (state.kubeconfig) return { stored: { position, revision } };
    const pem = parseCertificateBundle(Buffer.from(caBundlePem, 'base64'));
    const noIngress = state.artifacts.find(({ name }) => name === 'kubeconfig-noingress');
    const kubeconfig = noIngress && (await this.vault.read(clusterId, state.attempt, noIngress));
    if (!kubeconfig) {
      throw new RefusalError({
        code: 'not-ready',
        reason: `Cluster ${clusterId} has no kubeconfig-noingress to add the ingress CA to.`,
        subject: 'cluster_id',
      });
    }
    const content = Buffer.from(withCertificateAuthority(kubeconfig.toString(), pem));
    const artifact = await this.vault.store(clusterId, state.attempt, { name: 'kubeconfig', content, isSecret: true });
    const command = { type: 'AcceptIngressCa', clusterId, kubeconfig: artifact } as const;
    return { stored: await this.artifacts.of.execute(clusterId, command, context) };
  }

  /** The decision table of the cluster determines whether an ingress certificate may still complete it. */
  private async refuseOtherStatuses(clusterId: string): Promise<void> {
    const { state } = await foldStream(this.eventStore, 'cluster', clusterId, clusterDecider);
    const decision = clusterDecider.decide({ type: 'CompleteKubeconfig', at: '' }, state);
    if (decision.kind === 'refused') throw new RefusalError(decision.refusal);
  }
}

type ReadArtifact = typeof IgnitionService.method.readArtifact;

@Controller()
export class ReadArtifactController {
  constructor(
    private readonly artifacts: Artifacts,
    private readonly vault: ArtifactVault,
    private readonly joining: JoiningHosts,
  ) {}

  @Handles(IgnitionService.method.readArtifact)
  async handle({ clusterId, name, withoutSecrets }: InputOf<ReadArtifact>): Promise<OutputOf<ReadArtifact>> {
    if (!isArtifactName(name)) {
      throw new RefusalError({
        code: 'not-found',
        reason: `File '${name.slice(0, 64)}' does not exist.`,
        subject: 'file_name',
        allowed: [...ARTIFACT_NAMES, '<role>-<host id>.ign'],
      });
    }
    const joining = await this.joining.render(clusterId, name, { withoutSecrets });
    if (joining) return { content: joining.toString('base64') };
    const { state } = await this.artifacts.of.load(clusterId);
    const { artifacts, kubeconfig } = state;
    const artifact = [...artifacts, ...(kubeconfig ? [kubeconfig] : [])].find((known) => known.name === name);
    const content = artifact && (await this.vault.read(clusterId, state.attempt, artifact));
    if (!content) throw new RefusalError({ code: 'not-ready', reason: notReady(name), subject: 'file_name' });
    return { content: content.toString('base64') };
  }
}

const notReady = (name: string): string =>
  name === 'kubeconfig'
    ? 'The kubeconfig is not complete until the new cluster has sent its ingress certificate. Use kubeconfig-noingress until then.'
    : `The cluster has no file ${name}. The files of a cluster and its hosts are created when an installation is prepared.`;

type RenderInstallConfig = typeof IgnitionService.method.renderInstallConfig;

/** Returns the install-config of an installation that would start now. Hosts without a role are not included. */
@Controller()
export class RenderInstallConfigController {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: IgnitionServiceConfig,
    private readonly view: InstallView,
  ) {}

  @Handles(IgnitionService.method.renderInstallConfig)
  async handle({ clusterId, withoutSecrets }: InputOf<RenderInstallConfig>): Promise<OutputOf<RenderInstallConfig>> {
    const { eventStore, secrets } = this;
    const { state } = await foldStream(eventStore, 'cluster', clusterId, clusterDecider);
    const { status, kind, settings, bootstrapHostId } = state;
    if (status === 'unregistered' || status === 'deregistered') throw new RefusalError(NO_SUCH_CLUSTER);
    if (kind === 'AddHostsCluster') throw new RefusalError(INSTALLED_ELSEWHERE);
    const pullSecret = await secrets.open(clusterId, PULL_SECRET);
    if (!pullSecret?.length) throw new RefusalError(NO_PULL_SECRET);
    const entries = this.view
      .hostsOf(clusterId)
      .filter((entry) => !isDay2(entry.state))
      .sort(byId);
    const surroundings = await surroundingsOf({ eventStore, secrets }, this.config, state, entries);
    const opened = entries.map(async (entry) => [entry, await fencingOf(secrets, entry)] as const);
    const fencing = new Map(await Promise.all(opened));
    const hosts = entries.flatMap((entry) => {
      const role = roleOf(entry, bootstrapHostId);
      const { id, path } = entry.state.installationDisk;
      const hostname = entry.state.requestedHostname || entry.inventoryHostname;
      const boot = bootOf(entry, surroundings.machineNetworks);
      const given = fencing.get(entry);
      const shown = withoutSecrets ? maskedFencing(given) : given;
      return role ? [{ role, hostname, installationDisk: id || path, fencing: shown, ...boot }] : [];
    });
    const proxy = withoutSecrets ? maskedProxy(settings.proxy) : await openProxy(secrets, clusterId, settings.proxy);
    const installConfigOverrides = await openOverrides(secrets, clusterId, settings);
    const order = {
      settings: { ...settings, proxy },
      installConfigOverrides,
      hosts,
      pullSecret: withoutSecrets ? EMPTY_PULL_SECRET : pullSecret.toString(),
      ...surroundings,
    };
    const composed = composeInstallConfig(installConfigOf(order));
    if (composed.kind === 'refused')
      throw new RefusalError({
        code: 'invalid-input',
        reason: composed.reason,
        subject: 'install_config_overrides',
      });
    const { config } = composed;
    const shown = withoutSecrets
      ? Object.assign({}, withoutCredentials(config), { pullSecret: EMPTY_PULL_SECRET })
      : config;
    return { content: Buffer.from(JSON.stringify(shown)).toString('base64') };
  }
}

const EMPTY_PULL_SECRET = '{"auths":{}}';

const NO_SUCH_CLUSTER: Refusal = {
  code: 'not-found',
  reason: 'The cluster does not exist.',
  subject: 'cluster_id',
};
const INSTALLED_ELSEWHERE: Refusal = {
  code: 'invalid-input',
  reason: 'This cluster adds hosts to an installed cluster, so it has no install-config.',
  subject: 'cluster_id',
};
const NO_PULL_SECRET: Refusal = {
  code: 'not-allowed-in-state',
  reason: 'The stored pull secret of the cluster is missing. Set it again.',
  subject: 'pull_secret',
};
