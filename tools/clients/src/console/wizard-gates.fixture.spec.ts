/**
 * The validations in `validations_info` that the console checks before it enables the next step. Each id must be
 * present exactly once.
 */
const OPERATORS = ['lso', 'odf', 'lvm', 'cnv', 'nvidia-gpu', 'openshift-ai', 'osc', 'amd-gpu'].map(
  (name) => `${name}-requirements-satisfied`,
);

export interface Gate {
  readonly cluster: readonly string[];
  /** Groups of which every validation is checked. */
  readonly clusterGroups: readonly string[];
  readonly host: readonly string[];
  readonly hostGroups: readonly string[];
}

const NOTHING: Gate = { cluster: [], clusterGroups: [], host: [], hostGroups: [] };

/** By step of the wizard. */
export const WIZARD_GATES = {
  'cluster details': { ...NOTHING, cluster: ['pull-secret-set', 'dns-domain-defined'] },
  'host discovery': {
    ...NOTHING,
    cluster: ['sufficient-masters-count', ...OPERATORS],
    host: ['connected', 'media-connected', 'hostname-valid', ...OPERATORS],
    hostGroups: ['hardware'],
  },
  storage: { ...NOTHING, host: ['no-skip-installation-disk', 'no-skip-missing-disk'] },
  networking: { ...NOTHING, clusterGroups: ['network'] },
  review: { ...NOTHING, cluster: ['all-hosts-are-ready-to-install'] },
} as const satisfies { readonly [step: string]: Gate };

interface Outcome {
  readonly id: string;
  readonly status: string;
}
type Outcomes = { readonly [group: string]: readonly Outcome[] };

export interface Evaluated {
  readonly validations_info?: string;
}

const LETS_GO_ON: readonly string[] = ['success', 'disabled'];

/** Returns the validations that disable the button of the step; empty when it is enabled. */
export function closedBy(
  step: keyof typeof WIZARD_GATES,
  cluster: Evaluated,
  hosts: readonly Evaluated[],
): readonly string[] {
  const gate: Gate = WIZARD_GATES[step];
  return [
    ...errors(outcomesOf(cluster), gate.cluster, gate.clusterGroups),
    ...hosts.flatMap((host) => errors(outcomesOf(host), gate.host, gate.hostGroups)),
  ];
}

/** The text is JSON, as the console parses it. */
const outcomesOf = ({ validations_info: text }: Evaluated): Outcomes => JSON.parse(text ?? '{}') as Outcomes;

function errors(outcomes: Outcomes, ids: readonly string[], groups: readonly string[]): readonly string[] {
  const all = Object.values(outcomes).flat();
  const ofIds = ids.flatMap((id) => {
    const found = all.filter((outcome) => outcome.id === id);
    return found.length === 1 ? found.filter(isClosed).map(said) : [`${id} is present ${found.length} times`];
  });
  const ofGroups = groups.flatMap((group) =>
    (outcomes[group] ?? []).length === 0
      ? [`the group ${group} is empty`]
      : (outcomes[group] ?? []).filter(isClosed).map(said),
  );
  return [...ofIds, ...ofGroups];
}

const isClosed = ({ status }: Outcome): boolean => !LETS_GO_ON.includes(status);
const said = ({ id, status }: Outcome): string => `${id} is ${status}`;
