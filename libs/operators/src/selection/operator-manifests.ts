import { OPERATOR_PLUGINS } from '../operators.table';
import type { OperatorCluster, OperatorHost } from '../plugin/operator-facts';
import type { ManifestObject, OperatorPlugin } from '../plugin/operator-plugin';

/** A manifest file of the cluster. */
export interface OperatorManifestFile {
  readonly folder: 'openshift';
  readonly fileName: string;
  readonly content: string;
}

/** Objects of one operator that can be created after it runs. Several documents in one text. */
export interface LaterManifest {
  readonly operator: string;
  readonly namespace: string;
  readonly subscriptionName: string;
  readonly content: string;
}

export interface OperatorManifests {
  readonly files: readonly OperatorManifestFile[];
  readonly later: readonly LaterManifest[];
}

/** JSON is valid YAML. */
const asText = (object: ManifestObject): string => `${JSON.stringify(object, undefined, 2)}\n`;

/** Returns the manifests of the operators in `cluster.operators`, in the order of the table. */
export function operatorManifests(hosts: readonly OperatorHost[], cluster: OperatorCluster): OperatorManifests {
  const chosen = OPERATOR_PLUGINS.filter(({ name }) => cluster.operators.includes(name));
  const later = chosen.flatMap((plugin): readonly LaterManifest[] => {
    const objects = plugin.laterManifests?.(hosts, cluster) ?? [];
    if (objects.length === 0) return [];
    const content = objects.map((object) => `---\n${asText(object)}`).join('');
    return [{ operator: plugin.name, ...plugin.installation(cluster), content }];
  });
  const files = chosen.flatMap((plugin) =>
    plugin.manifests(cluster).map(({ fileName, object }): OperatorManifestFile => ({
      folder: 'openshift',
      fileName,
      content: asText(object),
    })),
  );
  return { files: chosen.length > 0 ? [...files, controllerNotes(chosen, later, cluster)] : files, later };
}

/**
 * The data of a controller without a service: the namespace of each operator to watch, and the objects to apply then.
 */
function controllerNotes(
  chosen: readonly OperatorPlugin[],
  later: readonly LaterManifest[],
  cluster: OperatorCluster,
): OperatorManifestFile {
  const notes = chosen.flatMap((plugin): [string, string][] => {
    const texts = later.filter(({ operator }) => operator === plugin.name).map(({ content }) => content);
    const name = `${plugin.name}.yaml`;
    const manifests = texts.map(() => name);
    return [
      [`${plugin.name}.metadata.yaml`, JSON.stringify({ ...plugin.installation(cluster), manifests })],
      ...texts.map((text): [string, string] => [name, text]),
    ];
  });
  return {
    folder: 'openshift',
    fileName: '99_olm-operator-manifests.yaml',
    content: asText({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'olm-operator-manifests', namespace: 'assisted-installer' },
      data: Object.fromEntries(notes),
    }),
  };
}
