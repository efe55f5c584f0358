import type { IgnitionEvent } from '@muster/contracts';

/** `<folder>/<file name>` of the manifests that people gave a cluster, sorted; the same list when the fact is about others. */
export function userManifestsAfter(manifests: readonly string[], event: IgnitionEvent): readonly string[] {
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
      return manifests;
  }
}
