import { isAbsolute, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OsImage, VersionCatalogue } from '@muster/assisted-api';
import { canonicalArchitecture } from '@muster/feature-support';
import { RefusalError } from '@muster/problems';

/** An element of OS_IMAGES. */
export interface OsImageEntry extends OsImage {
  /** Hex. Checked when the image is downloaded, and when a file is opened. */
  readonly sha256?: string;
}

export type BaseKind = 'full-iso' | 'disconnected-iso';

export const kindOf = ({ type }: Pick<OsImageEntry, 'type'>): BaseKind =>
  type === 'disconnected-iso' ? 'disconnected-iso' : 'full-iso';

/** The catalogue of base images. Versions may be full or partial. */
export class OsImageCatalogue {
  readonly entries: readonly OsImageEntry[];
  private readonly byKind: ReadonlyMap<BaseKind, VersionCatalogue>;

  constructor(entries: readonly OsImageEntry[]) {
    this.entries = new VersionCatalogue([], entries).osImages;
    const of = (kind: BaseKind): VersionCatalogue => {
      return new VersionCatalogue(
        [],
        this.entries.filter((entry) => kindOf(entry) === kind),
      );
    };
    this.byKind = new Map([
      ['full-iso', of('full-iso')],
      ['disconnected-iso', of('disconnected-iso')],
    ]);
  }

  /** `version`: of the build, or a full or partial OpenShift version. Returns undefined when no image matches. */
  lookUp(version: string, architecture: string, kind: BaseKind = 'full-iso'): OsImageEntry | undefined {
    if (version === '') return undefined;
    return this.byKind.get(kind)?.findOsImage(version, canonicalArchitecture(architecture), kind);
  }

  /**
   * As `lookUp`.
   * @throws RefusalError `not-found` with the available versions
   */
  find(version: string, architecture: string, kind: BaseKind = 'full-iso'): OsImageEntry {
    const entry = this.lookUp(version, architecture, kind);
    if (entry) return entry;
    throw new RefusalError({
      code: 'not-found',
      reason: `No base image is configured for version ${version.slice(0, 64)} for ${architecture.slice(0, 32)}${kind === 'full-iso' ? '' : ` of type ${kind}`}.`,
      subject: 'version',
      allowed: (this.byKind.get(kind)?.osImages ?? []).map(
        (image) => `${image.openshift_version}/${image.cpu_architecture}`,
      ),
    });
  }
}

/** Location of the bytes of a base image. */
export type ImageLocation =
  { readonly kind: 'file'; readonly path: string } | { readonly kind: 'remote'; readonly url: string };

/**
 * Parses an http(s) URL, a file URL, or a path inside the directory.
 * @throws RefusalError for anything else
 */
export function locationOfImage(url: string, directory: string): ImageLocation {
  if (/^https?:/i.test(url)) {
    if (!URL.canParse(url)) throw unusable(url, 'it is not a URL');
    return { kind: 'remote', url };
  }
  try {
    if (/^file:/i.test(url)) return { kind: 'file', path: fileURLToPath(url) };
  } catch {
    throw unusable(url, 'it is not a file URL of this machine');
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) throw unusable(url, 'only http, https and file URLs and paths are supported');
  const root = resolve(directory);
  const path = resolve(root, url);
  if (isAbsolute(url) || !path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
    throw unusable(url, 'it is outside of IMAGE_DIRECTORY; use a file:// URL for other files');
  return { kind: 'file', path };
}

/** The credentials and the query of a URL are secret, so they are omitted. */
const unusable = (url: string, why: string): RefusalError =>
  new RefusalError({
    code: 'internal',
    reason: `The url ${JSON.stringify(url.replace(/\/\/[^/]*@/, '//').replace(/\?.*$/, ''))} in OS_IMAGES cannot be used: ${why}.`,
    subject: 'OS_IMAGES',
  });
