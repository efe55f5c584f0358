import type { IgnitionEvent } from '@muster/contracts';
import { accepted, type Decider, type Decision, refused } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';

export type ManifestSource = 'user' | 'system';

/** One file that the new cluster finds when it comes up; its text is sealed under its digest. */
export interface Manifest {
  readonly folder: string;
  readonly fileName: string;
  readonly source: ManifestSource;
  readonly digest: string;
  readonly sizeBytes: number;
}

/** By folder and name, in the order of those. */
export interface ManifestsState {
  readonly manifests: ReadonlyMap<string, Manifest>;
}

export type ManifestsCommand =
  | { readonly type: 'Store'; readonly clusterId: string; readonly manifest: Manifest }
  | {
      readonly type: 'Move';
      readonly clusterId: string;
      readonly from: Pick<Manifest, 'folder' | 'fileName'>;
      readonly manifest: Manifest;
    }
  /** What the service adds: replaces what it added before, never what a person gave. */
  | { readonly type: 'StoreOwn'; readonly clusterId: string; readonly manifests: readonly Manifest[] }
  | { readonly type: 'Remove'; readonly clusterId: string; readonly folder: string; readonly fileName: string };

/** Other facts of the same stream are about what was made of the manifests. */
export const manifestsDecider: Decider<ManifestsState, ManifestsCommand, IgnitionEvent, ProblemCode> = {
  initialState: () => ({ manifests: new Map() }),
  evolve,
  decide,
};

export const manifestKey = ({ folder, fileName }: Pick<Manifest, 'folder' | 'fileName'>): string =>
  `${folder}/${fileName}`;

function decide(command: ManifestsCommand, { manifests }: ManifestsState): Decision<IgnitionEvent, ProblemCode> {
  const { clusterId } = command;
  switch (command.type) {
    case 'Store': {
      const { manifest } = command;
      const twin = twinOf(manifests, manifest);
      if (twin) return refused(existsElsewhere(twin));
      return isKnown(manifests, manifest) ? accepted() : accepted(stored(clusterId, manifest));
    }
    case 'Move': {
      const { from, manifest } = command;
      if (!manifests.has(manifestKey(from))) return refused(noSuch(from));
      const twin = manifest.fileName === from.fileName ? undefined : twinOf(manifests, manifest);
      if (twin) return refused(existsElsewhere(twin));
      if (manifestKey(from) === manifestKey(manifest) && isKnown(manifests, manifest)) return accepted();
      return accepted(stored(clusterId, manifest, from));
    }
    case 'StoreOwn': {
      const changed = command.manifests.filter(
        (manifest) => !isKnown(manifests, manifest) && manifests.get(manifestKey(manifest))?.source !== 'user',
      );
      const wanted = new Set(command.manifests.map(manifestKey));
      const stale = [...manifests.values()].filter(
        (manifest) => manifest.source === 'system' && !wanted.has(manifestKey(manifest)),
      );
      return accepted(
        ...stale.map((manifest) => removed(clusterId, manifest)),
        ...changed.map((manifest) => stored(clusterId, manifest)),
      );
    }
    case 'Remove':
      return manifests.has(manifestKey(command)) ? accepted(removed(clusterId, command)) : accepted();
    default:
      return command satisfies never;
  }
}

const stored = (
  clusterId: string,
  { folder, fileName, source, digest, sizeBytes }: Manifest,
  from: Pick<Manifest, 'folder' | 'fileName'> = { folder, fileName },
): IgnitionEvent => {
  const isMoved = from.folder !== folder || from.fileName !== fileName;
  return {
    type: 'ManifestStored',
    data: {
      clusterId,
      folder,
      fileName,
      source,
      digest,
      sizeBytes,
      formerFolder: isMoved ? from.folder : '',
      formerFileName: isMoved ? from.fileName : '',
    },
  };
};

const removed = (clusterId: string, { folder, fileName }: Pick<Manifest, 'folder' | 'fileName'>): IgnitionEvent => ({
  type: 'ManifestRemoved',
  data: { clusterId, folder, fileName },
});

/** One of the same name in the other folder: installers would take one of the two. */
const twinOf = (manifests: ManifestsState['manifests'], { folder, fileName }: Manifest): Manifest | undefined =>
  [...manifests.values()].find((other) => other.fileName === fileName && other.folder !== folder);

function isKnown(manifests: ManifestsState['manifests'], manifest: Manifest): boolean {
  const known = manifests.get(manifestKey(manifest));
  return known?.digest === manifest.digest && known.source === manifest.source;
}

const existsElsewhere = ({ folder, fileName }: Manifest) =>
  ({
    code: 'invalid-input',
    reason: `There is a manifest ${fileName} in the folder ${folder} already; a name may be in one folder only.`,
    subject: 'file_name',
  }) as const;

export const noSuch = (manifest: Pick<Manifest, 'folder' | 'fileName'>) =>
  ({
    code: 'not-found',
    reason: `There is no manifest ${manifestKey(manifest).slice(0, 160)} of this cluster.`,
    subject: 'file_name',
  }) as const;

function evolve(state: ManifestsState, event: IgnitionEvent): ManifestsState {
  if (event.type !== 'ManifestStored' && event.type !== 'ManifestRemoved') return state;
  const manifests = new Map(state.manifests);
  if (event.type === 'ManifestRemoved') {
    manifests.delete(manifestKey(event.data));
    return { manifests };
  }
  const { folder, fileName, source, digest, sizeBytes, formerFolder, formerFileName } = event.data;
  if (formerFileName) manifests.delete(manifestKey({ folder: formerFolder, fileName: formerFileName }));
  const manifest: Manifest = { folder, fileName, source: source === 'system' ? 'system' : 'user', digest, sizeBytes };
  manifests.set(manifestKey(manifest), manifest);
  return { manifests };
}
