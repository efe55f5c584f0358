import type { Cidr } from '@muster/addresses';
import type { Plain, VipVerification } from '@muster/contracts';
import type { Hardware } from '../hardware/hardware';
import type { ClusterSettingsFacts } from './cluster-settings.facts';
import { effectiveRole, type RulesPolicy } from './host.facts';

/** The facts about one host that cluster rules read. */
export interface ClusterHostFacts {
  readonly hostKey: string;
  readonly status: string;
  /** Host, or AddToExistingClusterHost (day 2). */
  readonly kind: string;
  readonly role: string;
  readonly suggestedRole: string;
  readonly hasInventory: boolean;
  readonly hardware: Hardware | undefined;
  /** Empty when none is selected. */
  readonly installationDiskId: string;
  /** Addresses of all interfaces with their networks, in the order of the inventory. */
  readonly addresses: readonly Cidr[];
  /** Whether CPU and memory suffice for the role, independent of the current role. */
  readonly canBeControlPlane: boolean;
  readonly canBeArbiter: boolean;
  readonly hasFencingCredentials: boolean;
  /** Host clock minus service clock. */
  readonly clockOffsetSeconds: number | undefined;
  /** Why the host could not request leases of VIPs; empty when it could. */
  readonly leaseFailure: string;
}

/** The facts that cluster rules read. */
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
