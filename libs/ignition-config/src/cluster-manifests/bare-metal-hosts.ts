import { Buffer } from 'node:buffer';
import type { HardwareFacts, Plain } from '@muster/contracts';
import { isObject, type Members, objectAt, textAt } from '@muster/schema';
import { parseAsKubernetes, stringifyForKubernetes } from '../documents/read-yaml';
import { manifest, type ManifestFile } from './manifests-input';

export interface BareMetalHost {
  readonly hostname: string;
  readonly role: 'master' | 'worker' | 'arbiter';
  readonly bootMacAddress: string;
  readonly isLegacyBoot: boolean;
  readonly hardware: Plain<HardwareFacts> | undefined;
}

const STATUS = 'baremetalhost.metal3.io/status';
const NAMESPACE = 'openshift-machine-api';
const BYTES_PER_MIB = 1_048_576;
const MBPS_PER_GBPS = 1_000;
/**
 * The types that an inventory and the resource have in common. With another type, the bare metal operator rejects the
 * whole status.
 */
const DISK_TYPES: ReadonlySet<string> = new Set(['HDD', 'SSD']);
/** The resources of all hosts together, without base64. A bootstrap config, which contains them in base64, has at most 5 MiB. */
const RESOURCES_BYTES_MAX = 2_900_000;
/** A resource without its status. */
const BARE_BYTES = 600;
/** File names as the installer uses them, with separate names for arbiters. */
export const HOST_MANIFEST = /^99_openshift-cluster-api_(?:arbiter_)?hosts-\d+\.yaml$/;

/** Yields one BareMetalHost per machine in the order of the install-config. Each is marked as running. */
export function* bareMetalHosts(hosts: readonly BareMetalHost[]): Generator<ManifestFile> {
  const counted = { arbiters: 0, others: 0 };
  for (const host of hosts) {
    const isArbiter = host.role === 'arbiter';
    const index = isArbiter ? counted.arbiters++ : counted.others++;
    const fileName = `99_openshift-cluster-api_${isArbiter ? 'arbiter_' : ''}hosts-${index}.yaml`;
    yield manifest('openshift', fileName, known(host, bare(host), hosts.length));
  }
}

const bare = ({ hostname, role, bootMacAddress, isLegacyBoot }: BareMetalHost): Members => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: {
    name: hostname,
    namespace: NAMESPACE,
    ...(role !== 'worker' && { labels: { 'installer.openshift.io/role': 'control-plane' } }),
  },
  spec: {
    bmc: { address: '', credentialsName: '' },
    bootMACAddress: bootMacAddress,
    bootMode: isLegacyBoot ? 'legacy' : 'UEFI',
    hardwareProfile: '',
    online: true,
    userData: { name: `${role}-user-data-managed`, namespace: NAMESPACE },
  },
});

/** Returns the BareMetalHost of the installer with the status of the host; other texts are returned unchanged. */
export function describeBareMetalHost(text: string, hosts: readonly BareMetalHost[]): string {
  const object = parseAsKubernetes(text);
  const host = hosts.find(({ hostname }) => hostname === textAt(object, 'metadata', 'name'));
  if (!isObject(object) || object['kind'] !== 'BareMetalHost' || !host) return text;
  return stringifyForKubernetes(known(host, object, hosts.length));
}

/** The host runs although the cluster did not install it. An annotation describes its hardware. */
function known(host: BareMetalHost, object: Members, hostCount: number): object {
  const annotations = { ...objectAt(object, 'metadata', 'annotations'), [STATUS]: statusText(host, hostCount) };
  return {
    ...object,
    metadata: { ...objectAt(object, 'metadata'), annotations },
    spec: { ...objectAt(object, 'spec'), externallyProvisioned: true },
  };
}

/**
 * Returns the status of a host in JSON. A status that is too large for its share of the resources has no disks, and, if necessary, no
 * network cards without an address: the cluster needs the addresses of a machine, and only shows the rest.
 */
function statusText(host: BareMetalHost, hostCount: number): string {
  const { hardware, ...status } = statusOf(host);
  const withoutDisks = { ...hardware, storage: [] };
  const addressesOnly = { ...withoutDisks, nics: hardware.nics.filter(({ ip }) => ip !== '') };
  const textOf = (kept: object): string => JSON.stringify({ hardware: kept, ...status });
  const bytesMax = RESOURCES_BYTES_MAX / hostCount - BARE_BYTES;
  // The resource contains it as a JSON text.
  const isSmall = (kept: object): boolean => Buffer.byteLength(JSON.stringify(textOf(kept))) <= bytesMax;
  return textOf([hardware, withoutDisks].find(isSmall) ?? addressesOnly);
}

function statusOf({ hostname, hardware }: BareMetalHost) {
  const { disks = [], nics = [] } = hardware ?? {};
  return {
    hardware: {
      cpu: { arch: hardware?.cpuArchitecture ?? '', count: hardware?.cpuCount ?? 0 },
      hostname,
      ramMebibytes: Math.floor((hardware?.physicalMemoryBytes ?? 0) / BYTES_PER_MIB),
      systemVendor: {
        manufacturer: hardware?.manufacturer ?? '',
        productName: hardware?.productName ?? '',
        serialNumber: hardware?.serialNumber ?? '',
      },
      nics: nics.map(({ name, macAddress, ipv4Addresses, ipv6Addresses, vendorId, productId, speedMbps }) => ({
        name,
        ...(macAddress && { mac: macAddress }),
        ip: [...(ipv4Addresses ?? []), ...(ipv6Addresses ?? [])][0]?.split('/')[0] ?? '',
        model: [vendorId, productId].filter((id) => id).join(' '),
        speedGbps: Math.max(0, Math.floor((speedMbps ?? 0) / MBPS_PER_GBPS)),
      })),
      storage: disks.map(({ path, name, driveType, sizeBytes, model, serial, hctl }) => ({
        name: path || `/dev/${name}`,
        ...(DISK_TYPES.has(driveType) && { type: driveType }),
        rotational: driveType === 'HDD',
        sizeBytes,
        model,
        serialNumber: serial,
        hctl,
      })),
    },
    operationalStatus: 'OK',
    poweredOn: true,
  };
}
