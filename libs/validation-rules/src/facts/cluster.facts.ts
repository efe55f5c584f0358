import type { Plain, VipVerification } from '@muster/contracts';
import type { Hardware } from '../hardware/hardware';
import type { ClusterSettingsFacts } from './cluster-settings.facts';
import { effectiveRole, type RulesPolicy } from './host.facts';

/** What cluster rules need to know of one host. */
export interface ClusterHostFacts {
  readonly hostKey: string;
  readonly status: string;
  /** Host or AddToExistingClusterHost (day-2). */
  readonly kind: string;
  readonly role: string;
  readonly suggestedRole: string;
  readonly hasInventory: boolean;
  readonly hardware: Hardware | undefined;
  /** Empty while none is chosen. */
  readonly installationDiskId: string;
  /** Addresses with prefix of all interfaces, in the order of the inventory. */
  readonly addresses: readonly string[];
  /** Enough CPU and memory for the role, whatever role it has now. */
  readonly canBeControlPlane: boolean;
  readonly canBeArbiter: boolean;
  readonly hasFencingCredentials: boolean;
  /** Host clock minus service clock. */
  readonly clockOffsetSeconds: number | undefined;
}

/** Everything that cluster rules may look at. */
export interface ClusterFacts {
  readonly policy: RulesPolicy;
  readonly settings: ClusterSettingsFacts;
  readonly hosts: readonly ClusterHostFacts[];
  /** The last verification of each VIP. Absent until a host has verified it. */
  readonly vipVerifications: readonly Plain<VipVerification>[];
}

export const day1Hosts = ({ hosts }: ClusterFacts): readonly ClusterHostFacts[] =>
  hosts.filter(({ kind }) => kind !== 'AddToExistingClusterHost');

export const effectiveRoleOf = ({ role, suggestedRole }: ClusterHostFacts): string =>
  effectiveRole(role, suggestedRole);
