import { vipMacAddress } from '@muster/domain';
import {
  hostNodeConfig,
  type IgnitionConfig,
  type LeasedVips,
  mergeIgnition,
  parseIgnitionOverride,
  pointTo,
  roleNodeConfig,
  toIgnitionJson,
  vipLeaseConfig,
} from '@muster/ignition-config';
import { textAt } from '@muster/schema';
import { parseAllDocuments } from 'yaml';
import { hostArtifactName } from '../artifacts/artifact-vault';
import { ArtifactsRefused, type InstallHost, type InstallRequest, type MadeArtifact } from './toolchain.port';

export type RoleConfigs = ReadonlyMap<string, IgnitionConfig>;

export const rolesOf = ({ hosts }: InstallRequest): readonly InstallHost['role'][] =>
  hosts.some(({ role }) => role === 'arbiter') ? ['master', 'worker', 'arbiter'] : ['master', 'worker'];

/** Returns the configs for disks: one per role and one per host. `pointers`: pointer configs by role. */
export function hostConfigs(order: InstallRequest, pointers: RoleConfigs): readonly MadeArtifact[] {
  const { serviceCaPem, settings, hosts } = order;
  const nodeFiles = roleNodeConfig({
    serviceCaPem,
    hasIpv6: hosts.some(({ hasIpv6 }) => hasIpv6),
    openshiftVersion: settings.openshiftVersion ?? '',
  });
  const roles = new Map([...pointers].map(([role, pointer]) => [role, mergeIgnition(pointer, nodeFiles)]));
  const controlPlane = roles.get('master');
  if (controlPlane) roles.set('master', mergeIgnition(controlPlane, vipLeaseConfig(leasedVipsOf(order))));
  const pools = poolsOf(order);
  return [
    ...[...roles].map(([role, config]) => made(`${role}.ign`, config)),
    ...hosts.map((host) => hostConfig(host, roles, pools)),
  ];
}

/** Undefined unless DHCP allocated the VIPs. */
function leasedVipsOf({ clusterId, settings, vipLeases }: InstallRequest): LeasedVips | undefined {
  const [apiVip, ingressVip] = [settings.apiVips?.items[0], settings.ingressVips?.items[0]];
  if (!settings.vipDhcpAllocation || settings.userManagedNetworking || !apiVip || !ingressVip) return undefined;
  return {
    api: { address: apiVip, macAddress: vipMacAddress(clusterId, 'api'), lease: vipLeases.api },
    ingress: { address: ingressVip, macAddress: vipMacAddress(clusterId, 'ingress'), lease: vipLeases.ingress },
  };
}

/** The override of a user may contain secrets, so the whole document is sealed. */
function hostConfig(host: InstallHost, roles: RoleConfigs, pools: ReadonlySet<string>): MadeArtifact {
  const { hostname, pool, role, hostId, ignitionOverride } = host;
  const ofRole = roles.get(role);
  if (!ofRole)
    throw new ArtifactsRefused(`The release has no Ignition config for the role ${role} of host ${hostname}.`);
  if (pool !== role && !pools.has(pool))
    throw new ArtifactsRefused(
      `Host ${hostname} belongs to the machine-config pool ${pool}, but the cluster has no MachineConfigPool manifest with that name. Add one, or choose another pool.`,
    );
  const config = mergeIgnition(pool === role ? ofRole : pointTo(ofRole, pool), hostNodeConfig(host));
  const name = hostArtifactName(role, hostId);
  if (!ignitionOverride) return made(name, config);
  const override = parseIgnitionOverride(ignitionOverride, `the ignition override of host ${hostname}`);
  if (override.kind === 'refused') throw new ArtifactsRefused(override.refusal.reason);
  return { ...made(name, mergeIgnition(config, override.config)), isSecret: true };
}

/** Names of the machine-config pools in the manifests. */
function poolsOf({ manifests }: InstallRequest): ReadonlySet<string> {
  const names = manifests
    .filter(({ content }) => content.includes('MachineConfigPool'))
    .flatMap(({ content }) => {
      const documents = parseAllDocuments(content);
      return Array.isArray(documents) ? documents.map((document): unknown => document.toJS()) : [];
    })
    .flatMap((object) =>
      textAt(object, 'kind') === 'MachineConfigPool' ? (textAt(object, 'metadata', 'name') ?? []) : [],
    );
  return new Set(names);
}

/**
 * A pointer config contains the certificate authority of the cluster, so it differs between clusters. Other configs may
 * be equal.
 */
const made = (name: string, config: IgnitionConfig): MadeArtifact => ({
  name,
  content: Buffer.from(toIgnitionJson(config)),
  isSecret: config.ignition.security === undefined,
});
