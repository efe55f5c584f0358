export const MANIFEST_FOLDERS = ['openshift', 'manifests'] as const;
export type ManifestFolder = (typeof MANIFEST_FOLDERS)[number];

/** A document, or several, that the new cluster finds when it comes up. */
export interface ManifestFile {
  readonly folder: ManifestFolder;
  readonly fileName: string;
  /** YAML or JSON text. */
  readonly content: string;
}

/** JSON is YAML: what reads manifests reads this. */
export const manifest = (folder: ManifestFolder, fileName: string, object: object): ManifestFile => ({
  folder,
  fileName,
  content: `${JSON.stringify(object, undefined, 2)}\n`,
});
