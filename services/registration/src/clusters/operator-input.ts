import type { ClusterSettings, MonitoredOperator, OperatorBundleList, Plain } from '@muster/contracts';
import { asksForSingleNode, decideOperators } from '@muster/domain';
import { type OperatorCluster, operatorNamed, type OperatorSettings, withDependencies } from '@muster/operators';
import { RefusalError } from '@muster/problems';
import { parseVersion } from '@muster/validation-rules';

type Settings = Plain<ClusterSettings>;
type Cluster = Pick<OperatorCluster, 'isSingleNode' | 'release' | 'settings'>;

export interface OperatorInput {
  /** As they are to be stored. */
  readonly choices: NonNullable<Settings['olmOperators']>;
  /** With what they depend on: what the installation waits for. */
  readonly monitored: Plain<MonitoredOperator>[];
}

/**
 * The operators of a request, given one by one and in bundles, for a cluster with these settings; undefined when the request
 * names none. @throws RefusalError for an unknown name.
 */
export function operatorInput(
  given: Settings,
  bundles: Plain<OperatorBundleList> | undefined,
  settings: Settings,
  operatorSettings: OperatorSettings,
): OperatorInput | undefined {
  if (!given.olmOperators && !bundles) return undefined;
  const cluster: Cluster = {
    isSingleNode: asksForSingleNode(settings),
    release: parseVersion(settings.openshiftVersion ?? ''),
    settings: operatorSettings,
  };
  const decision = decideOperators(given, bundles, cluster);
  if (decision.kind === 'refused') throw new RefusalError(decision.refusal);
  const { choices } = decision;
  const sources = new Map(choices.items.map(({ name, sourceBundles }) => [name, sourceBundles]));
  const names = withDependencies([...sources.keys()], cluster);
  return {
    choices,
    monitored: names.flatMap((name) => monitored(name, sources.get(name), cluster)),
  };
}

function monitored(
  name: string,
  sourceBundles: readonly string[] = [],
  cluster: Cluster,
): readonly Plain<MonitoredOperator>[] {
  const plugin = operatorNamed(name);
  if (!plugin) return [];
  return [
    {
      name: plugin.name,
      operatorType: 'olm',
      version: '',
      status: '',
      statusInfo: '',
      timeoutSeconds: plugin.timeoutSeconds,
      ...plugin.installation(cluster),
      bundles: plugin.bundles(cluster).map(({ id }) => id),
      sourceBundles: [...sourceBundles],
    },
  ];
}
