import { compareVersions, majorMinor } from '@muster/feature-support';
import { Type } from '@sinclair/typebox';
import { type Static, StringEnum } from '../schema/answer-schema';

/** A release that clusters can be installed with; the shape of RELEASE_IMAGES. */
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

/** A CoreOS live image that hosts boot; the shape of OS_IMAGES. */
export interface OsImage {
  readonly openshift_version: string;
  readonly cpu_architecture: string;
  readonly url: string;
  /** Build of the image. */
  readonly version: string;
}

const VERSION_SUPPORT_LEVELS = ['beta', 'production', 'maintenance', 'end-of-life'];

/** `openshift-version` of the contract. */
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

/** Early, feature and release candidates, and what is built every night. */
const PRE_RELEASE = /-(?:alpha|beta|ec|fc|rc)\b|nightly/;

/** What a release without a support level of its own is: a pre-release is for trying out. */
const supportLevelOf = ({ version, support_level: given }: ReleaseImage): string =>
  given || (PRE_RELEASE.test(version) ? 'beta' : 'production');

/** The versions that can be installed and booted, looked up by the names that users give. */
export class VersionCatalogue {
  constructor(
    readonly releases: readonly ReleaseImage[],
    readonly osImages: readonly OsImage[],
  ) {}

  /**
   * The release for "4.18", "4.18.52" or "4.18-multi" on an architecture; a multi-architecture one serves when the
   * architecture has none of its own. Undefined: nothing of the catalogue fits.
   */
  findRelease(version: string, cpuArchitecture: string): ReleaseImage | undefined {
    const named = this.releases.filter(
      (release) =>
        [release.version, release.openshift_version].includes(version) || multiNames(release).includes(version),
    );
    return (
      named.find((release) => release.cpu_architecture === cpuArchitecture) ??
      named.find((release) => release.cpu_architecture === 'multi' && serves(release, cpuArchitecture))
    );
  }

  /** The live image for a version of any precision; without one, that of the default release. */
  findOsImage(version: string, cpuArchitecture: string): OsImage | undefined {
    const images = this.osImages.filter((image) => image.cpu_architecture === cpuArchitecture);
    if (version === '') return this.defaultOsImage(images);
    return (
      images.find((image) => image.openshift_version === version || image.version === version) ??
      images.find((image) => majorMinor(image.openshift_version) === majorMinor(version))
    );
  }

  /** Names that findRelease accepts. */
  versionNames(): readonly string[] {
    return [...new Set(this.releases.flatMap(({ openshift_version, version }) => [openshift_version, version]))];
  }

  osVersionNames(): readonly string[] {
    return [...new Set(this.osImages.map(({ openshift_version }) => openshift_version))];
  }

  /** `openshift-versions` of the contract: by full version, newest first; `version` is any part of its name. */
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
    return (
      images.find((image) => majorMinor(image.openshift_version) === line) ??
      [...images].sort((a, b) => compareVersions(b.openshift_version, a.openshift_version))[0]
    );
  }
}

const serves = (release: ReleaseImage, cpuArchitecture: string): boolean =>
  cpuArchitecture === 'multi' || (release.cpu_architectures ?? []).includes(cpuArchitecture);

const withoutMulti = (version: string): string => version.replace(/-multi$/, '');

/** A multi-architecture release is also known by its name without the suffix. */
const multiNames = (release: ReleaseImage): string[] =>
  release.cpu_architecture === 'multi' ? [withoutMulti(release.version), withoutMulti(release.openshift_version)] : [];
