import { isAtLeast, parseVersion } from '@muster/feature-support';
import type { Refusal } from '@muster/problems';
import { type HostNetworkConfig, type HostNetworks, type NetworkForm, planHostNetworks } from './host-networks';
import { describeNetworkProblem } from './nmstate';

/** From here on the hosts' operating system reads nmstate policies itself. */
const POLICIES_SINCE = '4.18';
/** The most problems that one message lists. */
const MAX_PROBLEMS_REPORTED = 5;

/** A version that is not known yet counts as a new one. */
export function networkFormOf(openshiftVersion: string): NetworkForm {
  return parseVersion(openshiftVersion) && !isAtLeast(openshiftVersion, POLICIES_SINCE) ? 'keyfiles' : 'nmpolicy';
}

/** The document as JSON text, opened, and the version of the hosts that it is for. */
export interface GivenNetworks {
  readonly staticNetworkConfig: string;
  readonly openshiftVersion: string;
}

/** The infra-env's static networks as files for its hosts; undefined when it has none. */
export function planStaticNetworks(
  given: GivenNetworks,
): { readonly form: NetworkForm; readonly networks: HostNetworks } | undefined {
  const text = given.staticNetworkConfig.trim();
  const configs = text === '' ? [] : parseConfigs(text);
  if (!configs) return { form: 'nmpolicy', networks: NO_LIST };
  if (configs.length === 0) return undefined;
  const form = networkFormOf(given.openshiftVersion);
  return { form, networks: planHostNetworks(configs, form) };
}

/**
 * Returns the static networks for a ramdisk. A ramdisk has no service that applies policies, so they are keyfiles in every release;
 * `problems` names what keyfiles cannot express.
 */
export function planRamdiskNetworks(given: GivenNetworks): ReturnType<typeof planStaticNetworks> {
  const text = given.staticNetworkConfig.trim();
  const configs = text === '' ? [] : parseConfigs(text);
  if (!configs) return { form: 'keyfiles', networks: NO_LIST };
  return configs.length === 0 ? undefined : { form: 'keyfiles', networks: planHostNetworks(configs, 'keyfiles') };
}

const NO_LIST: HostNetworks = {
  hosts: [],
  problems: [{ host: 0, path: '', problem: 'static_network_config must be a list with one item per host.' }],
  advice: [],
};

function parseConfigs(text: string): readonly HostNetworkConfig[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((item) => typeof item === 'object' && item !== null)
      ? (list as readonly HostNetworkConfig[])
      : undefined;
  } catch {
    return undefined;
  }
}

/** Why these static networks cannot be used, with host and line; undefined when they can. */
export function staticNetworkProblem(given: GivenNetworks): Pick<Refusal, 'reason'> | undefined {
  const problems = planStaticNetworks(given)?.networks.problems ?? [];
  if (problems.length === 0) return undefined;
  const told = problems.slice(0, MAX_PROBLEMS_REPORTED).map(describeNetworkProblem);
  const more = problems.length - told.length;
  return { reason: [...told, ...(more > 0 ? [`${more} more problems.`] : [])].join(' ') };
}
