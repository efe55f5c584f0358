import { type HostSecret, hostSecretName, parseHostKey } from '@muster/contracts';
import { type ClusterState, effectiveRole, ignitionBase, isDay2 } from '@muster/domain';
import {
  authoritiesOf,
  hostNodeConfig,
  mergeIgnition,
  mergeOverride,
  parseIgnitionOverride,
  renderJoiningIgnition,
  toIgnitionJson,
} from '@muster/ignition-config';
import { EVENT_STORE, type MusterEventStore, readHttpHeaders, SECRETS } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { textAt } from '@muster/schema';
import { Inject, Injectable } from '@nestjs/common';
import { type HostEntry, InstallView } from '../view/install-view';
import { hostArtifactName } from './artifact-vault';
import { ignitionOverrideOf, imageVersionOf } from './install-request';

/**
 * Renders the configs of hosts that join a running cluster. They are not stored, because they follow from the present
 * state.
 */
@Injectable()
export class JoiningHosts {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
    private readonly view: InstallView,
  ) {}

  /**
   * Returns undefined when the name is not that of such a host.
   * @throws RefusalError when it cannot be rendered
   */
  async render(clusterId: string, name: string, { withoutSecrets = false } = {}): Promise<Buffer | undefined> {
    const cluster = this.view.cluster(clusterId)?.state;
    // All hosts of a cluster ask for their files at about the same time, so the others are not read.
    const named = this.view.hostsOf(clusterId, (key) => name.endsWith(`-${parseHostKey(key).hostId}.ign`));
    const entry = named.find((one) => isDay2(one.state) && nameOf(one) === name);
    return cluster && entry && this.renderHost(cluster, entry, withoutSecrets);
  }

  private async renderHost({ settings }: ClusterState, entry: HostEntry, withoutSecrets: boolean): Promise<Buffer> {
    const { state, hardware, inventoryHostname } = entry;
    const hostname = state.requestedHostname || inventoryHostname;
    const given = await ignitionOverrideOf(this.secrets, entry, hostname);
    const subject = `the ignition override of host ${hostname}`;
    const override = given ? parseIgnitionOverride(given, subject) : undefined;
    if (override?.kind === 'refused') throw new RefusalError(override.refusal);
    const caPem = decoded(settings.ignitionEndpoint) + authoritiesOf(override?.config);
    const url = textAt(settings.ignitionEndpoint, 'url') ?? '';
    const endpoint = ignitionBase({
      apiVipDnsName: settings.apiVipDnsName ?? '',
      ignitionEndpoint: { url, caCertificate: caPem },
    });
    if (!endpoint) throw new RefusalError(NO_ENDPOINT);
    const open = async (secret: HostSecret): Promise<string> => (withoutSecrets ? '' : this.open(entry, secret));
    const headers = await open('ignition-endpoint-http-headers');
    const pointer = renderJoiningIgnition({
      endpoint,
      pool: state.machineConfigPoolName || roleOf(entry),
      caPem: decoded(settings.ignitionEndpoint),
      token: await open('ignition-endpoint-token'),
      headers: readHttpHeaders(headers || '{}'),
    });
    const isPersistentBoot = hardware?.bootDeviceType === 'persistent';
    const own = hostNodeConfig({ hostname, nodeIpHint: '', isPersistentBoot });
    const checked =
      override &&
      mergeOverride(
        mergeIgnition(pointer, own),
        override.config,
        subject,
        await imageVersionOf(this.eventStore, entry),
      );
    if (checked?.kind === 'refused') throw new RefusalError(checked.refusal);
    const overridden = override ? mergeIgnition(pointer, override.config) : pointer;
    return Buffer.from(toIgnitionJson(mergeIgnition(overridden, own)));
  }

  /** Returns an empty text when the host has none. Values of an earlier host with the same id are ignored. */
  private async open({ state }: HostEntry, secret: HostSecret): Promise<string> {
    const { ignitionEndpointTokenSet, ignitionEndpointHttpHeadersSet } = state.settings;
    const isSet = secret === 'ignition-endpoint-token' ? ignitionEndpointTokenSet : ignitionEndpointHttpHeadersSet;
    if (!isSet) return '';
    const sealed = await this.secrets.open(state.infraEnvId, hostSecretName(state.hostId, secret));
    return sealed?.toString('utf8') ?? '';
  }
}

const NO_ENDPOINT = {
  code: 'not-ready',
  reason: 'The cluster has no API address and no Ignition endpoint for its new hosts. Set api_vip_dns_name.',
  subject: 'api_vip_dns_name',
} as const;

/** A host without a role becomes a worker. */
function roleOf({ state }: HostEntry): string {
  const role = effectiveRole(state);
  return role === 'auto-assign' ? 'worker' : role;
}

const nameOf = (entry: HostEntry): string => hostArtifactName(roleOf(entry), entry.state.hostId);

/** The v2 API contains it in base64. */
const decoded = (endpoint: object | undefined): string =>
  Buffer.from(textAt(endpoint, 'ca_certificate') ?? '', 'base64').toString('utf8');
