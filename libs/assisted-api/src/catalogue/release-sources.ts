/** Architectures that have channels of their own, and the releases that hold all of them. */
const EVERY_KIND = ['x86_64', 'arm64', 'ppc64le', 's390x', 'multi'] as const;

/** Update channels of one architecture of a version. */
export interface UpgradeChannel {
  readonly cpu_architecture: string;
  readonly channels: readonly string[];
}

/** `release-source` of the contract; the shape of RELEASE_SOURCES. */
export interface ReleaseSource {
  /** A line: "4.18". */
  readonly openshift_version: string;
  readonly multi_cpu_architectures: readonly string[];
  readonly upgrade_channels: readonly UpgradeChannel[];
}

/** The same channels for every architecture. */
const line = (version: string, ...channels: readonly string[]): ReleaseSource => ({
  openshift_version: version,
  multi_cpu_architectures: ['x86_64', 'arm64', 's390x', 'ppc64le'],
  upgrade_channels: EVERY_KIND.map((cpu_architecture) => ({ cpu_architecture, channels })),
});

/** Where releases come from when RELEASE_SOURCES names nothing. */
export const DEFAULT_RELEASE_SOURCES: readonly ReleaseSource[] = [
  line('4.13', 'stable'),
  line('4.14', 'stable'),
  line('4.16', 'stable', 'candidate'),
  line('4.17', 'candidate'),
  line('4.18', 'stable'),
  line('4.19', 'stable'),
  line('4.20', 'stable'),
  line('4.21', 'stable'),
  line('4.22', 'stable'),
  line('5.0', 'candidate'),
];
