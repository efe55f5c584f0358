import { IgnitionService, PULL_SECRET } from '@muster/contracts';
import { clusterDecider, isDay2 } from '@muster/domain';
import { composeInstallConfig } from '@muster/ignition-config';
import {
  Handles,
  type InputOf,
  openProxy,
  type OutputOf,
  EVENT_STORE,
  SECRETS,
  type MusterEventStore,
} from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CONFIG, type IgnitionServiceConfig } from '../config';
import { fencingOf } from './host-fencing';
import { foldStream } from '../streams/fold-stream';
import { installConfigOf } from '../toolchain/install-config-input';
import { InstallView } from '../view/install-view';
import { bootOf, byId, roleOf, surroundingsOf } from './install-request';

type Method = typeof IgnitionService.method.renderInstallConfig;

/** Returns the install-config of an installation that would start now. Hosts without a role are not counted. */
@Controller()
export class RenderInstallConfigController {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: IgnitionServiceConfig,
    private readonly view: InstallView,
  ) {}

  @Handles(IgnitionService.method.renderInstallConfig)
  async handle(@Payload() { clusterId }: InputOf<Method>): Promise<OutputOf<Method>> {
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
    const surroundings = await surroundingsOf(this.eventStore, this.config.registries, state, entries);
    const fencing = new Map(
      await Promise.all(entries.map(async (entry) => [entry, await fencingOf(secrets, entry)] as const)),
    );
    const hosts = entries.flatMap((entry) => {
      const role = roleOf(entry, bootstrapHostId);
      const { id, path } = entry.state.installationDisk;
      const hostname = entry.state.requestedHostname || entry.inventoryHostname;
      const boot = bootOf(entry, surroundings.machineNetworks);
      return role ? [{ role, hostname, installationDisk: id || path, fencing: fencing.get(entry), ...boot }] : [];
    });
    const proxy = await openProxy(secrets, clusterId, settings.proxy);
    const order = { settings: { ...settings, proxy }, hosts, pullSecret: pullSecret.toString(), ...surroundings };
    const composed = composeInstallConfig(installConfigOf(order));
    if (composed.kind === 'refused')
      throw new RefusalError({
        code: 'invalid-input',
        reason: composed.reason,
        subject: 'install_config_overrides',
      });
    return { content: Buffer.from(JSON.stringify(composed.config)).toString('base64') };
  }
}

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
