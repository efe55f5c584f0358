import { Type } from '@sinclair/typebox';
import { CLUSTER_CPU_ARCHITECTURES, CPU_ARCHITECTURES } from '../requests/wire-values';
import { type Static, StringEnum } from '../schema/answer-schema';

const RELEASE_CHANNELS = ['candidate', 'fast', 'stable', 'eus'];
/** Architectures with separate channels, and the multi-architecture releases. */
const EVERY_KIND = ['x86_64', 'arm64', 'ppc64le', 's390x', 'multi'] as const;

/** Update channels of one architecture of a version. */
export const V2_UPGRADE_CHANNEL = Type.Object(
  {
    cpu_architecture: StringEnum<string>(CLUSTER_CPU_ARCHITECTURES),
    channels: Type.Array(StringEnum<string>(RELEASE_CHANNELS)),
  },
  { title: 'upgrade-channel' },
);

/** `release-source` of the v2 API, and the form of RELEASE_SOURCES. */
export const V2_RELEASE_SOURCE = Type.Object(
  {
    openshift_version: Type.String(),
    multi_cpu_architectures: Type.Array(StringEnum<string>(CPU_ARCHITECTURES)),
    upgrade_channels: Type.Array(V2_UPGRADE_CHANNEL),
  },
  { title: 'release-source' },
);
export type ReleaseSource = Static<typeof V2_RELEASE_SOURCE>;

/** The same channels for every architecture. */
const line = (version: string, ...channels: readonly string[]): ReleaseSource => ({
  openshift_version: version,
  multi_cpu_architectures: ['x86_64', 'arm64', 's390x', 'ppc64le'],
  upgrade_channels: EVERY_KIND.map((cpu_architecture) => ({ cpu_architecture, channels })),
});

/** The release sources when RELEASE_SOURCES is not set. */
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
