import { type Document, isAlias, isNode, type LineCounter } from 'yaml';
import { formatPlace, type Place } from '@muster/schema';
import { readYaml, toPlain, YAML_ALIASES_MAX } from '../documents/read-yaml';
import { adviseOnNmstate, checkNmstate } from './check-nmstate';
import { checkForKeyfiles, type Keyfile, renderKeyfiles } from './keyfiles';
import { checkMapping, completeMapping, type MacName, renderNmpolicy } from './mac-mapping';
import { type NetworkProblem, type Report, sentenceOf } from './nmstate';
import { parseNmstate } from './nmstate.schema';
import { canonicalDocument, readNmstate } from './read-nmstate';

export const MAX_NETWORK_YAML_CHARACTERS = 131_072;
/** Maximum number of problems that are reported for one host. */
const MAX_PROBLEMS = 20;

/** One item of `static_network_config` in the v2 API. */
export interface HostNetworkConfig {
  readonly network_yaml?: string;
  readonly mac_interface_map?: readonly { readonly mac_address?: string; readonly logical_nic_name?: string }[];
}

/** The format that the hosts' operating system reads: keyfiles before OpenShift 4.18, nmstate policies from 4.18 on. */
export type NetworkForm = 'keyfiles' | 'nmpolicy';

export interface HostNetwork {
  readonly mapping: readonly MacName[];
  /** Names and contents of the files in the host's folder. */
  readonly files: readonly Keyfile[];
}

export interface HostNetworks {
  /** In canonical order, independent of the order of the input. Empty when there is any problem. */
  readonly hosts: readonly HostNetwork[];
  /** Problems that make the configuration unusable. */
  readonly problems: readonly NetworkProblem[];
  /** Probable mistakes in a usable configuration. */
  readonly advice: readonly NetworkProblem[];
}

/** Returns files, problems and advice for static networks. Never throws. Equal configurations result in equal files. */
export function planHostNetworks(configs: readonly HostNetworkConfig[], form: NetworkForm): HostNetworks {
  const plans = configs.map((config, host) => planHost(config, host, form));
  const problems = plans.flatMap((plan) => plan.problems);
  const advice = [
    ...plans.flatMap((plan) => plan.advice),
    ...sharedMacs(plans.map(({ network }) => network?.mapping ?? [])),
  ];
  const hosts =
    problems.length > 0
      ? []
      : plans.flatMap(({ network }) => (network ? [withoutDocument(network)] : [])).sort(byMapping);
  return { hosts, problems, advice };
}

export interface HostPlan {
  /** Undefined when there is any problem. */
  readonly network?: HostNetwork & {
    /** The value of `network_yaml`, with the first names of all members and without empty values. */
    readonly document: unknown;
  };
  readonly problems: readonly NetworkProblem[];
  readonly advice: readonly NetworkProblem[];
}

/** Returns the files, problems and advice of one host. `host`: index in `static_network_config`. */
export function planHost(config: HostNetworkConfig, host: number, form: NetworkForm): HostPlan {
  const yaml = config.network_yaml ?? '';
  const refuse = (problem: string, line?: number): HostPlan => ({
    problems: [{ host, ...(line !== undefined && { line }), path: 'network_yaml', problem }],
    advice: [],
  });
  if (yaml.trim() === '') return refuse('network_yaml is empty.');
  if (yaml.length > MAX_NETWORK_YAML_CHARACTERS)
    return refuse(`network_yaml has ${yaml.length} characters. Allowed: at most ${MAX_NETWORK_YAML_CHARACTERS}.`);

  const read = readYaml(yaml);
  if (read.kind === 'refused') return refuse(read.fault.reason, read.fault.line);
  const { documents, lines } = read;
  const [parsed] = documents;
  if (!parsed || documents.length > 1) return refuse('network_yaml must be one YAML document.');
  const document = toPlain(parsed);
  if (!document)
    return refuse(`An alias cannot be resolved, or more than ${YAML_ALIASES_MAX} values follow from aliases.`);

  const problems: NetworkProblem[] = [];
  const advice: NetworkProblem[] = [];
  const reportTo =
    (list: NetworkProblem[]): Report =>
    (place, problem) => {
      // Lines are computed for reported problems only, because the computation visits every key of a mapping.
      if (list.length >= MAX_PROBLEMS) return;
      const line = lineOf(parsed, lines, place);
      list.push({ host, ...(line !== undefined && { line }), path: formatPlace(place), problem });
    };
  const report = reportTo(problems);
  const network = canonicalDocument(document.value);
  const checked = parseNmstate(network);
  if (checked.kind === 'invalid') {
    for (const violation of checked.violations) report(violation.place, sentenceOf(violation));
    return { problems, advice };
  }

  const state = readNmstate(checked.value);
  const mapping = completeMapping(config.mac_interface_map ?? [], state);
  checkNmstate(state, report);
  checkMapping(mapping, state, report);
  if (form === 'keyfiles') checkForKeyfiles(state, report);
  adviseOnNmstate(state, reportTo(advice));
  if (problems.length > 0) return { problems, advice };
  const files =
    form === 'keyfiles'
      ? renderKeyfiles(state)
      : [{ fileName: 'policy.yml', content: renderNmpolicy(network, mapping) }];
  return { network: { mapping, files, document: network }, problems, advice };
}

/** Users of the files do not need the document, which would be copied between threads. */
const withoutDocument = ({ mapping, files }: HostNetwork): HostNetwork => ({ mapping, files });

/** Line of the longest part of the path that exists in the document. */
function lineOf(parsed: Document, lines: LineCounter, path: Place): number | undefined {
  for (let depth = path.length; depth >= 1; depth -= 1) {
    const node = parsed.getIn(path.slice(0, depth), true);
    if (isNode(node) && !isAlias(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return path[0] === 'mac_interface_map' ? undefined : 1;
}

const byMapping = (first: HostNetwork, second: HostNetwork): number => (keyOf(first) < keyOf(second) ? -1 : 1);
const keyOf = ({ mapping, files }: HostNetwork): string => JSON.stringify([mapping, files]);

function sharedMacs(mappings: readonly (readonly MacName[])[]): readonly NetworkProblem[] {
  const owners = new Map<string, number>();
  return mappings.flatMap((mapping, host) =>
    mapping.flatMap(({ mac }) => {
      const owner = owners.get(mac);
      owners.set(mac, owner ?? host);
      if (owner === undefined || owner === host) return [];
      return [
        {
          host,
          path: 'mac_interface_map',
          problem: `${mac} is also used by host ${owner + 1}. Use each MAC address once.`,
        },
      ];
    }),
  );
}
