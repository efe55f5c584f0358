import { CLUSTER_RULES } from '../cluster/cluster-rules.table';
import { HOST_RULES } from '../host/host-rules.table';

interface Row {
  readonly id: string;
  readonly comesAndGoes?: true;
}

const dampedIds = (rules: readonly Row[]): ReadonlySet<string> =>
  new Set(rules.filter(({ comesAndGoes }) => comesAndGoes).map(({ id }) => id));

/** Host rules whose success has to be stable when they flap. Outcomes that depend on settings only count at once. */
export const DAMPED_HOST_RULES = dampedIds(HOST_RULES);
export const DAMPED_CLUSTER_RULES = dampedIds(CLUSTER_RULES);
