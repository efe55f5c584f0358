import type { ManifestEvent } from '@muster/contracts';

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
