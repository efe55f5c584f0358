import { OPERATOR_PLUGINS } from '../operators.table';
import type { OperatorCluster, OperatorHost } from '../plugin/operator-facts';
import type { ManifestObject, OperatorPlugin } from '../plugin/operator-plugin';

/** A manifest file of the cluster. */
export interface OperatorManifestFile {
  readonly folder: 'openshift';
  readonly fileName: string;
  readonly content: string;
}

/**
 * Objects of one operator that can be created after it runs. Several documents in one text. An operator may have two of
 * them, which are applied independently of each other.
 */
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

/** Later objects of one operator, each as a text. */
interface LaterTexts {
  readonly plugin: OperatorPlugin;
  readonly texts: readonly string[];
}

const laterTexts = (plugin: OperatorPlugin, objects: readonly ManifestObject[] = []): LaterTexts => ({
  plugin,
  texts: objects.map(asText),
});

/** Returns the manifests of the operators in `cluster.operators`, in the order of the table. */
export function operatorManifests(hosts: readonly OperatorHost[], cluster: OperatorCluster): OperatorManifests {
  const chosen = OPERATOR_PLUGINS.filter(({ name }) => cluster.operators.includes(name));
  const later = [
    ...chosen.map((plugin) => laterTexts(plugin, plugin.laterManifests?.(hosts, cluster))),
    ...chosen.map((plugin) => laterTexts(plugin, plugin.lastManifests?.(cluster))),
  ].filter(({ texts }) => texts.length > 0);
  const files = chosen.flatMap((plugin) =>
    plugin.manifests(cluster).map(({ fileName, object }): OperatorManifestFile => ({
      folder: 'openshift',
      fileName,
      content: asText(object),
    })),
  );
  return {
    files: chosen.length > 0 ? [...files, controllerNotes(later, cluster)] : files,
    later: later.map(({ plugin, texts }) => ({
      operator: plugin.name,
      ...plugin.installation(cluster),
      content: texts.map((text) => `---\n${text}`).join(''),
    })),
  };
}

/**
 * The data of a controller without a service: the namespace of each operator to watch, and the objects to apply then. The
 * controller of assisted-service v2 reads one object in base64 from each file.
 */
function controllerNotes(later: readonly LaterTexts[], cluster: OperatorCluster): OperatorManifestFile {
  const plugins = [...new Set(later.map(({ plugin }) => plugin))];
  const notes = plugins.flatMap((plugin): [string, string][] => {
    const texts = later.filter((entry) => entry.plugin === plugin).flatMap((entry) => entry.texts);
    const objects = texts.map((text, index): [string, string] => [
      `${plugin.name}-${String(index + 1).padStart(2, '0')}.yaml`,
      btoa(text),
    ]);
    const metadata = { ...plugin.installation(cluster), manifests: objects.map(([name]) => name) };
    return [[`${plugin.name}.metadata.yaml`, JSON.stringify(metadata)], ...objects];
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
