import type { ClusterSettings, Plain } from '@muster/contracts';
import { isRemoteUrl } from '@muster/ignition-config';
import { listAt, parseJson, textAt } from '@muster/schema';
import { isAtLeast } from '@muster/validation-rules';
import { clusterFeatureFacts, type FeatureChoice, newConflict } from '../../feature-refusals';
import { ARCHITECTURES_WITHOUT_PLATFORM } from '../settings';
import { type ClusterInputRule, notAllowed, oneOf } from './input-rule';

const MACHINES = ['none', 'masters', 'arbiters', 'workers'];
const MACHINE_SETS = [
  ...MACHINES,
  'masters,arbiters',
  'masters,workers',
  'arbiters,workers',
  'masters,arbiters,workers',
  'all',
];
const SINGLE_NODE_PLATFORMS = ['none', 'external'];
const USER_LOAD_BALANCER_SINCE = '4.16';
const SMALLEST_VERSION_WITH = { arbiterOrFencing: '4.19', moreThanThree: '4.18' } as const;
const MAX_CONTROL_PLANE_COUNT = 5;

/** Returns the control plane counts that a highly available cluster of the version may have. */
export function controlPlaneCounts(version: string): readonly number[] {
  const min = isAtLeast(version, SMALLEST_VERSION_WITH.arbiterOrFencing) ? 2 : 3;
  const max = isAtLeast(version, SMALLEST_VERSION_WITH.moreThanThree) ? MAX_CONTROL_PLANE_COUNT : 3;
  return Array.from({ length: max - min + 1 }, (_, index) => min + index);
}

/** Rules for choices, each alone and in combination. */
export const CHOICE_RULES: readonly ClusterInputRule[] = [
  oneOf('cpuArchitecture', 'cpu_architecture', ['x86_64', 'aarch64', 'arm64', 'ppc64le', 's390x', 'multi']),
  oneOf('highAvailabilityMode', 'high_availability_mode', ['Full', 'None']),
  oneOf('networkType', 'network_type', ['OpenShiftSDN', 'OVNKubernetes', 'CiscoACI', 'Cilium', 'Calico', 'None']),
  oneOf('hyperthreading', 'hyperthreading', MACHINE_SETS),
  oneOf('platformType', 'platform.type', ['baremetal', 'none', 'vsphere', 'nutanix', 'external']),
  oneOf('loadBalancerType', 'load_balancer.type', ['cluster-managed', 'user-managed']),
  {
    id: 'availability-unchanged',
    subject: 'high_availability_mode',
    fields: ['highAvailabilityMode'],
    check: ({ given, before }) =>
      before && given.highAvailabilityMode && given.highAvailabilityMode !== before.highAvailabilityMode
        ? { reason: 'high_availability_mode cannot be changed. Register another cluster.' }
        : undefined,
  },
  {
    id: 'control-plane-count-fits',
    subject: 'control_plane_count',
    fields: ['controlPlaneCount', 'highAvailabilityMode', 'openshiftVersion'],
    check: ({ settings, kind }) => {
      if (kind === 'AddHostsCluster') return undefined;
      const { controlPlaneCount: count = 0, highAvailabilityMode: mode, openshiftVersion: version = '' } = settings;
      const counts = mode === 'None' ? [1] : controlPlaneCounts(version);
      if (counts.includes(count)) return undefined;
      return {
        reason: `control_plane_count ${count} is not possible with high_availability_mode ${mode ?? ''} in version ${version}.`,
        allowed: counts.map(String),
      };
    },
  },
  {
    id: 'single-node-manages-no-network',
    subject: 'user_managed_networking',
    fields: ['userManagedNetworking', 'controlPlaneCount', 'platformType'],
    // A platform that the request selects may set it as well. The next rule refuses that platform.
    check: ({ settings, given, kind }) =>
      kind !== 'AddHostsCluster' &&
      settings.controlPlaneCount === 1 &&
      settings.userManagedNetworking === false &&
      (given.userManagedNetworking === false || SINGLE_NODE_PLATFORMS.includes(settings.platformType ?? ''))
        ? {
            reason:
              'A single-node cluster requires user-managed networking. Omit user_managed_networking or set it to true.',
            allowed: ['true'],
          }
        : undefined,
  },
  {
    id: 'single-node-has-no-platform',
    subject: 'platform.type',
    fields: ['platformType', 'controlPlaneCount'],
    check: ({ settings, kind }) =>
      kind !== 'AddHostsCluster' &&
      settings.controlPlaneCount === 1 &&
      !SINGLE_NODE_PLATFORMS.includes(settings.platformType ?? '')
        ? {
            reason: `A single-node cluster cannot be of platform ${settings.platformType ?? ''}.`,
            allowed: SINGLE_NODE_PLATFORMS,
          }
        : undefined,
  },
  {
    id: 'architecture-has-no-platform',
    subject: 'platform.type',
    fields: ['cpuArchitecture', 'platformType', 'userManagedNetworking'],
    check: ({ settings: { cpuArchitecture = '', platformType, userManagedNetworking }, kind }) => {
      if (kind === 'AddHostsCluster' || !ARCHITECTURES_WITHOUT_PLATFORM.includes(cpuArchitecture)) return undefined;
      if (platformType !== 'none')
        return {
          reason: `A cluster of ${cpuArchitecture} hosts cannot have platform ${platformType ?? ''}.`,
          allowed: ['none'],
        };
      return userManagedNetworking === false
        ? {
            subject: 'user_managed_networking',
            reason: `A cluster of ${cpuArchitecture} hosts requires user-managed networking. Omit user_managed_networking or set it to true.`,
            allowed: ['true'],
          }
        : undefined;
    },
  },
  {
    id: 'single-node-network-type',
    subject: 'network_type',
    fields: ['networkType', 'controlPlaneCount'],
    check: ({ settings }) =>
      settings.controlPlaneCount === 1 && settings.networkType === 'OpenShiftSDN'
        ? { reason: 'A single-node cluster cannot use OpenShiftSDN.', allowed: ['OVNKubernetes'] }
        : undefined,
  },
  {
    id: 'platform-fits-networking',
    subject: 'user_managed_networking',
    fields: ['platformType', 'userManagedNetworking'],
    check: ({ settings: { platformType = '', userManagedNetworking }, kind }) => {
      if (kind === 'AddHostsCluster') return undefined;
      if (platformType === 'baremetal' && userManagedNetworking === true)
        return { reason: 'Platform baremetal manages the network. Set user_managed_networking to false.' };
      if (['none', 'external'].includes(platformType) && userManagedNetworking === false)
        return { reason: `Platform ${platformType} does not manage the network. Set user_managed_networking to true.` };
      if (platformType === 'nutanix' && userManagedNetworking === true)
        return { reason: 'Platform nutanix manages the network. Set user_managed_networking to false.' };
      return undefined;
    },
  },
  {
    id: 'load-balancer-fits',
    subject: 'load_balancer.type',
    fields: ['loadBalancerType', 'userManagedNetworking', 'vipDhcpAllocation', 'controlPlaneCount'],
    check: ({ settings }) => {
      if (settings.loadBalancerType !== 'user-managed') return undefined;
      if (!isAtLeast(settings.openshiftVersion ?? '', USER_LOAD_BALANCER_SINCE))
        return { reason: `A user-managed load balancer requires version ${USER_LOAD_BALANCER_SINCE} or later.` };
      if (settings.userManagedNetworking || settings.vipDhcpAllocation)
        return {
          reason: 'A user-managed load balancer requires cluster-managed networking without VIP allocation by DHCP.',
        };
      return undefined;
    },
  },
  {
    id: 'disk-encryption-readable',
    subject: 'disk_encryption',
    fields: ['diskEncryption'],
    check: ({ settings, given, imported }) => {
      if (imported && given.diskEncryption)
        return { reason: 'The disk encryption of an imported cluster cannot be set.' };
      const { enable_on: enableOn = 'none', mode = 'tpmv2' } = settings.diskEncryption ?? {};
      if (typeof enableOn !== 'string' || !MACHINE_SETS.includes(enableOn))
        return notAllowed('disk_encryption.enable_on', enableOn, MACHINE_SETS);
      if (typeof mode !== 'string' || !['tpmv2', 'tang'].includes(mode))
        return notAllowed('disk_encryption.mode', mode, ['tpmv2', 'tang']);
      if (mode === 'tang' && enableOn !== 'none' && !areTangServers(textAt(settings.diskEncryption, 'tang_servers')))
        return {
          subject: 'disk_encryption.tang_servers',
          reason: `disk_encryption.tang_servers must be a JSON array of one or more servers with different URLs as a string, such as '${TANG_EXAMPLE}'.`,
        };
      return undefined;
    },
  },
];

const TANG_URL = /^https?:\/\/\S+$/;
const TANG_EXAMPLE = '[{"url": "http://tang.example.com:7500", "thumbprint": "…"}]';

/** Ignition, which reads them at the first boot of a node, refuses repeated URLs. */
function areTangServers(text = ''): boolean {
  const servers = listAt(parseJson(text));
  const urls = servers.map((server) => textAt(server, 'url') ?? '');
  return (
    servers.length > 0 &&
    new Set(urls).size === urls.length &&
    urls.every((url) => TANG_URL.test(url) && isRemoteUrl(url)) &&
    servers.every((server) => Boolean(textAt(server, 'thumbprint')))
  );
}

/**
 * Every chosen feature must exist in the version and on the architecture, and be compatible with the other features.
 */
export const FEATURE_RULES: readonly ClusterInputRule[] = [
  {
    id: 'features-fit-together',
    subject: 'features',
    fields: [
      'openshiftVersion',
      'cpuArchitecture',
      'controlPlaneCount',
      'userManagedNetworking',
      'vipDhcpAllocation',
      'loadBalancerType',
      'networkType',
      'platformType',
      'platformDetails',
      'machineNetworks',
      'serviceNetworks',
      'clusterNetworks',
      'apiVips',
      'olmOperators',
    ],
    check: ({ settings, before, kind, imageArchitectures, controlPlaneHosts }) => {
      if (kind === 'AddHostsCluster') return undefined;
      const choiceOf = (own: Plain<ClusterSettings>, architecture: string): FeatureChoice => ({
        facts: { ...clusterFeatureFacts(own), controlPlaneHosts },
        place: { version: own.openshiftVersion ?? '', architecture },
      });
      const architectures = new Set([settings.cpuArchitecture ?? '', ...imageArchitectures]);
      return [...architectures]
        .map((architecture) => newConflict(choiceOf(settings, architecture), before && choiceOf(before, architecture)))
        .find((conflict) => conflict !== undefined);
    },
  },
];
