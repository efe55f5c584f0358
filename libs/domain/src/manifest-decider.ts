import type { ManifestEvent } from '@muster/contracts';
import { accepted, type Decider, type Decision, refused } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';

export type ManifestSource = 'user' | 'system';

/** One file that is added to the cluster's installation manifests. Its text is sealed under its digest. */
export interface Manifest {
  readonly folder: string;
  readonly fileName: string;
  readonly source: ManifestSource;
  /** SHA-256 of the text, hexadecimal. */
  readonly digest: string;
  readonly sizeBytes: number;
}

export type ManifestPlace = Pick<Manifest, 'folder' | 'fileName'>;

/** Manifests by `manifestKey`, in insertion order. */
export interface ManifestsState {
  readonly manifests: ReadonlyMap<string, Manifest>;
}

export type ManifestCommand =
  | { readonly type: 'StoreManifest'; readonly clusterId: string; readonly manifest: Manifest }
  | {
      readonly type: 'MoveManifest';
      readonly clusterId: string;
      readonly from: ManifestPlace;
      readonly manifest: Manifest;
    }
  /** Replaces all manifests of source `system`. A manifest of source `user` with the same folder and name is kept. */
  | { readonly type: 'ReplaceSystemManifests'; readonly clusterId: string; readonly manifests: readonly Manifest[] }
  | { readonly type: 'RemoveManifest'; readonly clusterId: string; readonly folder: string; readonly fileName: string };

/** The manifests of one cluster. */
export const manifestDecider: Decider<ManifestsState, ManifestCommand, ManifestEvent, ProblemCode> = {
  initialState: () => ({ manifests: new Map() }),
  evolve,
  decide,
};

export const manifestKey = ({ folder, fileName }: ManifestPlace): string => `${folder}/${fileName}`;

function decide(command: ManifestCommand, { manifests }: ManifestsState): Decision<ManifestEvent, ProblemCode> {
  const { clusterId } = command;
  switch (command.type) {
    case 'StoreManifest': {
      const { manifest } = command;
      const inOtherFolder = manifestInOtherFolder(manifests, manifest);
      if (inOtherFolder) return refused(existsElsewhere(inOtherFolder));
      if (isKnown(manifests, manifest)) return accepted();
      return storedOrRefused(manifests, stored(clusterId, manifest));
    }
    case 'MoveManifest': {
      const { from, manifest } = command;
      if (!manifests.has(manifestKey(from))) return refused(manifestNotFound(from));
      const inOtherFolder =
        manifest.fileName === from.fileName ? undefined : manifestInOtherFolder(manifests, manifest);
      if (inOtherFolder) return refused(existsElsewhere(inOtherFolder));
      if (manifestKey(from) === manifestKey(manifest) && isKnown(manifests, manifest)) return accepted();
      return storedOrRefused(manifests, stored(clusterId, manifest, from));
    }
    case 'ReplaceSystemManifests': {
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
    case 'RemoveManifest':
      return manifests.has(manifestKey(command)) ? accepted(removed(clusterId, command)) : accepted();
    default:
      return command satisfies never;
  }
}

/** Maximum size of all manifests of one cluster, in bytes. In base64 they are part of a config of at most 5 MiB. */
export const ALL_MANIFESTS_BYTES_MAX = 4 * 1024 * 1024;

/** Returns the reason why a cluster cannot be installed with all these manifests, or undefined. */
export function manifestsSizeFault(manifests: Iterable<Pick<Manifest, 'sizeBytes'>>): string | undefined {
  const bytes = sizeOf(manifests);
  return bytes <= ALL_MANIFESTS_BYTES_MAX
    ? undefined
    : `The manifests of the cluster have ${bytes} bytes together. Allowed: at most ${ALL_MANIFESTS_BYTES_MAX}. Delete or shorten manifests.`;
}

function sizeOf(manifests: Iterable<Pick<Manifest, 'sizeBytes'>>): number {
  let bytes = 0;
  for (const { sizeBytes } of manifests) bytes += sizeBytes;
  return bytes;
}

/** A change that makes the manifests smaller is accepted at any size. */
function storedOrRefused(
  before: ManifestsState['manifests'],
  event: ManifestEvent,
): Decision<ManifestEvent, ProblemCode> {
  const after = [...evolve({ manifests: before }, event).manifests.values()];
  const fault = sizeOf(after) > sizeOf(before.values()) ? manifestsSizeFault(after) : undefined;
  return fault ? refused({ code: 'invalid-input', reason: fault, subject: 'content' }) : accepted(event);
}

const stored = (
  clusterId: string,
  { folder, fileName, source, digest, sizeBytes }: Manifest,
  from: ManifestPlace = { folder, fileName },
): ManifestEvent => {
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

const removed = (clusterId: string, { folder, fileName }: ManifestPlace): ManifestEvent => ({
  type: 'ManifestRemoved',
  data: { clusterId, folder, fileName },
});

/** Returns a manifest with the same file name in the other folder. The installer would use only one of the two. */
const manifestInOtherFolder = (
  manifests: ManifestsState['manifests'],
  { folder, fileName }: Manifest,
): Manifest | undefined =>
  [...manifests.values()].find((other) => other.fileName === fileName && other.folder !== folder);

function isKnown(manifests: ManifestsState['manifests'], manifest: Manifest): boolean {
  const known = manifests.get(manifestKey(manifest));
  return known?.digest === manifest.digest && known.source === manifest.source;
}

const existsElsewhere = ({ folder, fileName }: Manifest) =>
  ({
    code: 'invalid-input',
    reason: `Manifest '${fileName}' already exists in folder '${folder}'. A file name may be used in one folder only.`,
    subject: 'file_name',
  }) as const;

export const manifestNotFound = (place: ManifestPlace) =>
  ({
    code: 'not-found',
    reason: `The cluster has no manifest '${manifestKey(place).slice(0, 160)}'.`,
    subject: 'file_name',
  }) as const;

export const manifestTextMissing = (place: ManifestPlace) =>
  ({
    ...manifestNotFound(place),
    reason: `The stored text of ${manifestKey(place)} is missing. Store it again.`,
  }) as const;

function evolve(state: ManifestsState, event: ManifestEvent): ManifestsState {
  const manifests = new Map(state.manifests);
  switch (event.type) {
    case 'ManifestStored': {
      const { folder, fileName, source, digest, sizeBytes, formerFolder, formerFileName } = event.data;
      if (formerFileName) manifests.delete(manifestKey({ folder: formerFolder, fileName: formerFileName }));
      const manifest: Manifest = {
        folder,
        fileName,
        source: source === 'system' ? 'system' : 'user',
        digest,
        sizeBytes,
      };
      manifests.set(manifestKey(manifest), manifest);
      return { manifests };
    }
    case 'ManifestRemoved':
      manifests.delete(manifestKey(event.data));
      return { manifests };
    default:
      event satisfies never;
      return state;
  }
}

/** Returns the sorted `<folder>/<file name>` list of the user's manifests after `event`; the same array when nothing changed. */
export function userManifestsAfter(manifests: readonly string[], event: ManifestEvent): readonly string[] {
  switch (event.type) {
    case 'ManifestStored': {
      const { folder, fileName, source, formerFolder, formerFileName } = event.data;
      const isUsers = source === 'user';
      const [former, now] = [`${formerFolder}/${formerFileName}`, `${folder}/${fileName}`];
      if (manifests.includes(now) === isUsers && !manifests.includes(former)) return manifests;
      const others = manifests.filter((one) => one !== former && one !== now);
      return isUsers ? [...others, now].sort() : others;
    }
    case 'ManifestRemoved': {
      const gone = `${event.data.folder}/${event.data.fileName}`;
      return manifests.includes(gone) ? manifests.filter((one) => one !== gone) : manifests;
    }
    default:
      event satisfies never;
      return manifests;
  }
}
