import { createHash } from 'node:crypto';
import type { InstallRequest } from './toolchain.port';

const INFRA_ID_NAME_CHARACTERS_MAX = 21;
const INFRA_ID_SUFFIX_CHARACTERS = 5;
const TOKEN_CHARACTERS = 7;

/**
 * Returns the id of the new cluster within OpenShift, a UUID. It is the same within one attempt and differs between
 * attempts.
 */
export function openshiftClusterIdOf(order: InstallRequest): string {
  const hex = digestOf(order).toString('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** Prefix of the names of resources of the cluster. */
export function infraIdOf(order: InstallRequest): string {
  const name = (order.settings.name ?? '').slice(0, INFRA_ID_NAME_CHARACTERS_MAX).replace(/[^a-z0-9-]/g, '-');
  return `${name}-${digestOf(order).subarray(16).toString('hex').slice(0, INFRA_ID_SUFFIX_CHARACTERS)}`;
}

/** Distinguishes files with the same name in different documents. */
export const documentTokenOf = (order: InstallRequest): string =>
  digestOf(order).toString('hex').slice(-TOKEN_CHARACTERS);

const digestOf = ({ clusterId, attempt }: InstallRequest): Buffer =>
  createHash('sha256').update(`openshift-cluster/${clusterId}/${attempt}`).digest();
