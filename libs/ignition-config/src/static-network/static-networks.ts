import { isAtLeast, parseVersion } from '@muster/feature-support';
import type { Refusal } from '@muster/problems';
import { createJsonParser, valueOf } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { type HostNetworkConfig, type HostNetworks, type NetworkForm, planHostNetworks } from './host-networks';
import { describeNetworkProblem } from './nmstate';

/** The first version whose operating system reads nmstate policies. */
const POLICIES_SINCE = '4.18';
/** Maximum number of problems in one message. */
const MAX_PROBLEMS_REPORTED = 5;

/** Returns the format for a version. An unknown version counts as new. */
export function networkFormOf(openshiftVersion: string): NetworkForm {
  return parseVersion(openshiftVersion) && !isAtLeast(openshiftVersion, POLICIES_SINCE) ? 'keyfiles' : 'nmpolicy';
}

/** The unsealed document as JSON text, and the version of its hosts. */
export interface GivenNetworks {
  readonly staticNetworkConfig: string;
  readonly openshiftVersion: string;
}

/** Returns the infra-env's static networks as files for its hosts. Undefined when it has none. */
export function planStaticNetworks(
  given: GivenNetworks,
): { readonly form: NetworkForm; readonly networks: HostNetworks } | undefined {
  const text = given.staticNetworkConfig.trim();
  const configs = text === '' ? [] : parseHostNetworks(text);
  if (!configs) return { form: 'nmpolicy', networks: NO_LIST };
  if (configs.length === 0) return undefined;
  const form = networkFormOf(given.openshiftVersion);
  return { form, networks: planHostNetworks(configs, form) };
}

/**
 * Returns the static networks for a ramdisk. A ramdisk cannot apply policies, so they are keyfiles in every release.
 * `problems` lists what keyfiles cannot express.
 */
export function planRamdiskNetworks(given: GivenNetworks): ReturnType<typeof planStaticNetworks> {
  const text = given.staticNetworkConfig.trim();
  const configs = text === '' ? [] : parseHostNetworks(text);
  if (!configs) return { form: 'keyfiles', networks: NO_LIST };
  return configs.length === 0 ? undefined : { form: 'keyfiles', networks: planHostNetworks(configs, 'keyfiles') };
}

const NO_LIST: HostNetworks = {
  hosts: [],
  problems: [{ host: 0, path: '', problem: 'static_network_config must be a list with one item per host.' }],
  advice: [],
};

const HOST_LIST = Type.Array(
  Type.Object({
    network_yaml: Type.Optional(Type.String()),
    mac_interface_map: Type.Optional(
      Type.Array(
        Type.Object({ mac_address: Type.Optional(Type.String()), logical_nic_name: Type.Optional(Type.String()) }),
      ),
    ),
  }),
);
const parseHostList = createJsonParser(HOST_LIST, { name: 'static_network_config', nullIsAbsent: true });
/** The host networks of a `static_network_config`; undefined when the text is not a list of them. */
export const parseHostNetworks = (text: string): readonly HostNetworkConfig[] | undefined =>
  valueOf(parseHostList(text));

/**
 * Returns the reason why these static networks cannot be used, with host and line, or undefined. A minimal image
 * configures the network in its ramdisk.
 */
export function staticNetworkProblem(
  given: GivenNetworks & { readonly imageType?: string },
): Pick<Refusal, 'reason'> | undefined {
  const plan = given.imageType === 'minimal-iso' ? planRamdiskNetworks : planStaticNetworks;
  const problems = plan(given)?.networks.problems ?? [];
  if (problems.length === 0) return undefined;
  const listed = problems.slice(0, MAX_PROBLEMS_REPORTED).map(describeNetworkProblem);
  const more = problems.length - listed.length;
  return { reason: [...listed, ...(more > 0 ? [`${more} more problems.`] : [])].join(' ') };
}
