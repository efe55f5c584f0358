import type { ClusterSettings, MonitoredOperator, OperatorBundleList, Plain } from '@muster/contracts';
import {
  chooseOperators,
  type OperatorCluster,
  operatorNamed,
  type OperatorSettings,
  withDependencies,
} from '@muster/operators';
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
 * What a person chose, one by one and in bundles, for a cluster of these settings; undefined when the request says nothing
 * of operators. Throws when a name is unknown.
 */
export function operatorInput(
  given: Settings,
  bundles: Plain<OperatorBundleList> | undefined,
  settings: Settings,
  operatorSettings: OperatorSettings,
): OperatorInput | undefined {
  if (!given.olmOperators && !bundles) return undefined;
  const cluster: Cluster = {
    isSingleNode: settings.controlPlaneCount === 1 || settings.highAvailabilityMode === 'None',
    release: parseVersion(settings.openshiftVersion ?? ''),
    settings: operatorSettings,
  };
  const chosen = chooseOperators(
    given.olmOperators?.items ?? [],
    (bundles?.items ?? []).map(({ id, optionalOperators }) => ({ id, optionalOperators: optionalOperators?.items })),
    cluster,
  );
  if (chosen.kind === 'refused') {
    const { reason, subject, allowed } = chosen;
    throw new RefusalError({ code: 'invalid-input', reason, subject, allowed });
  }
  const choices = chosen.operators.map((choice) => ({ ...choice, sourceBundles: [...choice.sourceBundles] }));
  const sources = new Map(choices.map(({ name, sourceBundles }) => [name, sourceBundles]));
  const names = withDependencies([...sources.keys()], cluster);
  return {
    choices: { items: choices },
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
