import { controlPlaneCountOf } from '@muster/validation-rules';
import { hostStages, renderHostStatus } from '@muster/domain';
import { withDiskEligibility } from './disk-eligibility';
import type { HostDocument } from './documents';
import { hostOutcomeMessages, presentHostOutcomes } from './present-outcomes';
import { stripInternals } from './strip-internals';
import type { V2Host } from './v2-host';

/** What a host's answer needs from elsewhere: its cluster, and bodies named by digest in its document. */
export interface HostParts {
  /** Control plane size of the host's cluster. Determines the stage list of a bootstrap host. @default 3 */
  readonly controlPlaneCount?: number;
  /** Seconds since the epoch, by the machine's own clock. */
  readonly timestamp?: number;
  /** JSON texts; absent ones are left out of the answer. */
  readonly inventory?: string;
  readonly connectivity?: string;
  readonly freeAddresses?: string;
  readonly apiVipConnectivity?: string;
  readonly tangConnectivity?: string;
  readonly ignitionConfigOverrides?: string;
}

const OWNERS_OF_MORE_THAN_THE_CONTRACT = ['org_id', 'email_domain'];

/** `host` of the contract. */
export function presentHost(document: HostDocument, parts: HostParts = {}): V2Host {
  const host = stripInternals(document, OWNERS_OF_MORE_THAN_THE_CONTRACT);
  // aicli looks hosts up by this member alone, so it always has the best known name.
  host.requested_hostname = document.requested_hostname || document._reported_hostname || document.id;
  if (parts.timestamp) host.timestamp = parts.timestamp;
  const { _status_reason: reason, _outcomes: outcomes, _identity_conflict: conflict } = document;
  const isBound = Boolean(document.cluster_id);
  host.status_info = renderHostStatus(reason, hostOutcomeMessages(outcomes, isBound), conflict);
  host.validations_info = presentHostOutcomes(outcomes, isBound);
  host.progress_stages = hostStages({
    role: document.role,
    isBootstrap: document.bootstrap,
    isDay2: document.kind === 'AddToExistingClusterHost',
    controlPlaneCount: controlPlaneCountOf(parts),
    isKubeApi: false,
  });
  if (parts.inventory) host.inventory = withDiskEligibility(parts.inventory, document._disks);
  if (parts.connectivity) host.connectivity = parts.connectivity;
  if (parts.freeAddresses) host.free_addresses = parts.freeAddresses;
  if (parts.apiVipConnectivity) host.api_vip_connectivity = parts.apiVipConnectivity;
  if (parts.tangConnectivity) host.tang_connectivity = parts.tangConnectivity;
  if (parts.ignitionConfigOverrides) host.ignition_config_overrides = parts.ignitionConfigOverrides;
  return host as V2Host;
}
