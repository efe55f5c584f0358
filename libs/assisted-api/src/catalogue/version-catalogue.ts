import { canonicalArchitecture, compareVersions, majorMinor } from '@muster/feature-support';
import { Type } from '@sinclair/typebox';
import { type Static, StringEnum } from '../schema/answer-schema';

/** A release for the installation of clusters, and the form of RELEASE_IMAGES. */
export interface ReleaseImage {
  /** The requested version: "4.18", "4.18-multi". */
  readonly openshift_version: string;
  readonly cpu_architecture: string;
  readonly cpu_architectures?: readonly string[] | null;
  readonly url: string;
  /** Full version: "4.18.52". */
  readonly version: string;
  readonly default?: boolean | null;
  readonly support_level?: string | null;
  /** Only simulated hosts install it. */
  readonly simulated?: boolean | null;
}

/** A CoreOS live image that hosts boot, and the form of OS_IMAGES. */
export interface OsImage {
  readonly openshift_version: string;
  readonly cpu_architecture: string;
  readonly url: string;
  /** Build of the image. */
  readonly version: string;
  /** `full-iso` (default) or `disconnected-iso`. */
  readonly type?: string;
}

const VERSION_SUPPORT_LEVELS = ['beta', 'production', 'maintenance', 'end-of-life'];

/** `openshift-version` of the v2 API. */
export const V2_OPENSHIFT_VERSION = Type.Object(
  {
    display_name: Type.String(),
    support_level: StringEnum<string>(VERSION_SUPPORT_LEVELS),
    default: Type.Optional(Type.Boolean()),
    cpu_architectures: Type.Array(Type.String()),
  },
  { title: 'openshift-version' },
);
export type V2OpenshiftVersion = Static<typeof V2_OPENSHIFT_VERSION>;

/** Matches early, feature and release candidates, and nightly builds. */
const PRE_RELEASE = /-(?:alpha|beta|ec|fc|rc)\b|nightly/;

/** Returns the support level of a release that does not set one: a pre-release is a beta. */
const supportLevelOf = ({ version, support_level: given }: ReleaseImage): string =>
  given || (PRE_RELEASE.test(version) ? 'beta' : 'production');

/**
 * The versions that can be installed and booted, with lookups by the version names of users. Architectures have their
 * names of the v2 API, also when the lists contain `aarch64` or `amd64`.
 */
export class VersionCatalogue {
  readonly releases: readonly ReleaseImage[];
  readonly osImages: readonly OsImage[];

  constructor(releases: readonly ReleaseImage[], osImages: readonly OsImage[]) {
    this.releases = releases.map((release) => ({
      ...release,
      cpu_architecture: canonicalArchitecture(release.cpu_architecture),
      cpu_architectures: release.cpu_architectures?.map(canonicalArchitecture),
    }));
    this.osImages = osImages.map((image) => ({
      ...image,
      cpu_architecture: canonicalArchitecture(image.cpu_architecture),
    }));
  }

  /**
   * Returns the newest release for "4.18", "4.18.52" or "4.18-multi" on an architecture. A multi-architecture release is used
   * when the architecture has none. Undefined when no release matches.
   */
  findRelease(version: string, cpuArchitecture: string): ReleaseImage | undefined {
    const named = this.releases
      .filter(
        (release) =>
          [release.version, release.openshift_version].includes(version) || multiNames(release).includes(version),
      )
      .sort((a, b) => compareVersions(b.version, a.version));
    return (
      named.find((release) => release.cpu_architecture === cpuArchitecture) ??
      named.find((release) => release.cpu_architecture === 'multi' && serves(release, cpuArchitecture))
    );
  }

  /**
   * Returns the live image for a version of any precision. When none has this version, returns that of its minor version: the one
   * named "4.18" or else the newest, as assisted-service v2. Without a version, returns the image of the default release.
   * Disconnected images are made from those of their own type, which assisted-service v2 does not require at the registration. So other
   * images are returned when there are none of that type.
   */
  findOsImage(version: string, cpuArchitecture: string, imageType: string): OsImage | undefined {
    const images = this.osImages.filter((image) => image.cpu_architecture === cpuArchitecture);
    const others = images.filter(({ type }) => !isDisconnected(type));
    const own = isDisconnected(imageType) ? images.filter(({ type }) => isDisconnected(type)) : others;
    return this.osImageIn(own, version) ?? this.osImageIn(others, version);
  }

  private osImageIn(images: readonly OsImage[], version: string): OsImage | undefined {
    if (version === '') return this.defaultOsImage(images);
    return (
      images.find((image) => image.openshift_version === version || image.version === version) ??
      osImageOfLine(images, majorMinor(version))
    );
  }

  /** Version names that findRelease accepts. */
  versionNames(): readonly string[] {
    return [...new Set(this.releases.flatMap(({ openshift_version, version }) => [openshift_version, version]))];
  }

  /** Version names that findOsImage accepts for an image type. */
  osVersionNames(imageType: string): readonly string[] {
    const images = this.osImages.filter(({ type }) => isDisconnected(imageType) || !isDisconnected(type));
    return [...new Set(images.map(({ openshift_version }) => openshift_version))];
  }

  /**
   * Returns `openshift-versions` of the v2 API by full version, newest first. `version` filters by any part of the
   * version name.
   */
  toV2(filter: { readonly version?: string; readonly onlyLatest?: boolean } = {}): {
    readonly [version: string]: V2OpenshiftVersion;
  } {
    const byVersion = new Map<string, V2OpenshiftVersion>();
    const newestFirst = [...this.releases].sort((a, b) => compareVersions(b.version, a.version));
    const newestOf = new Map<string, string>();
    for (const release of newestFirst) {
      const line = majorMinor(release.version);
      if (!newestOf.has(line)) newestOf.set(line, withoutMulti(release.version));
      if (filter.onlyLatest && newestOf.get(line) !== withoutMulti(release.version)) continue;
      if (filter.version && !release.version.includes(filter.version)) continue;
      const seen = byVersion.get(release.version);
      const architectures = release.cpu_architectures ?? [release.cpu_architecture];
      byVersion.set(release.version, {
        display_name: release.version,
        support_level: supportLevelOf(release),
        ...(seen?.default || release.default ? { default: true } : {}),
        cpu_architectures: [...new Set([...(seen?.cpu_architectures ?? []), ...architectures])],
      });
    }
    return Object.fromEntries(byVersion);
  }

  private defaultOsImage(images: readonly OsImage[]): OsImage | undefined {
    const preferred = this.releases.find((release) => release.default)?.version;
    const line = preferred === undefined ? undefined : majorMinor(preferred);
    return (line === undefined ? undefined : osImageOfLine(images, line)) ?? newestOsImage(images);
  }
}

const isDisconnected = (type: string | undefined): boolean => type === 'disconnected-iso';

const osImageOfLine = (images: readonly OsImage[], line: string): OsImage | undefined =>
  images.find((image) => image.openshift_version === line) ??
  newestOsImage(images.filter((image) => majorMinor(image.openshift_version) === line));

const newestOsImage = (images: readonly OsImage[]): OsImage | undefined =>
  [...images].sort((a, b) => compareVersions(b.openshift_version, a.openshift_version))[0];

const serves = (release: ReleaseImage, cpuArchitecture: string): boolean =>
  cpuArchitecture === 'multi' || (release.cpu_architectures ?? []).includes(cpuArchitecture);

const withoutMulti = (version: string): string => version.replace(/-multi$/, '');

/** A multi-architecture release can also be found by its name without the suffix. */
const multiNames = (release: ReleaseImage): string[] =>
  release.cpu_architecture === 'multi' ? [withoutMulti(release.version), withoutMulti(release.openshift_version)] : [];
