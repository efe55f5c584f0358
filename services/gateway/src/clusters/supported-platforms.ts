import { Type } from '@sinclair/typebox';
import { StringEnum } from '@muster/assisted-api';
import { isAvailable, platformLevel } from '@muster/feature-support';
import { suitsPlatform } from '@muster/validation-rules';

/** `platform_type` of the contract. */
export type PlatformType = 'baremetal' | 'nutanix' | 'vsphere' | 'none' | 'external';

const PLATFORMS: readonly PlatformType[] = ['baremetal', 'nutanix', 'vsphere', 'none', 'external'];
export const V2_PLATFORM_TYPES = Type.Array(StringEnum<PlatformType>(PLATFORMS));
/** A single node has no peer that could take over its address. */
const SINGLE_NODE_PLATFORMS: ReadonlySet<PlatformType> = new Set(['none', 'external']);

export interface PlatformQuestion {
  readonly version: string;
  readonly architecture: string;
  readonly isSingleNode: boolean;
  /** Manufacturer of each machine; undefined until its inventory arrives. */
  readonly manufacturers: readonly (string | undefined)[];
}

/** Platforms that the version has on the architecture, the cluster's size allows and every machine suits. */
export function supportedPlatforms(question: PlatformQuestion): readonly PlatformType[] {
  const { version, architecture, isSingleNode, manufacturers } = question;
  return PLATFORMS.filter((platform) => {
    if (isSingleNode && !SINGLE_NODE_PLATFORMS.has(platform)) return false;
    const level = platformLevel({ version, architecture, platform });
    if (!level || !isAvailable(level)) return false;
    return manufacturers.every((manufacturer) => suitsPlatform(platform, manufacturer ?? ''));
  });
}

/** `system_vendor.manufacturer` of an inventory; undefined when there is none to be read. */
export function manufacturerOf(inventory: string | undefined): string | undefined {
  if (inventory === undefined) return undefined;
  try {
    const { system_vendor: vendor } = JSON.parse(inventory) as { readonly system_vendor?: { manufacturer?: unknown } };
    return typeof vendor?.manufacturer === 'string' ? vendor.manufacturer : undefined;
  } catch {
    return undefined;
  }
}
