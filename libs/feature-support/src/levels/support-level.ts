/** `support-level` of the contract. */
export type SupportLevel = 'supported' | 'tech-preview' | 'dev-preview' | 'unsupported' | 'unavailable';

/** `incompatibility-reason` of the contract. */
export type UnavailableReason = 'cpuArchitecture' | 'platform' | 'openshiftVersion' | 'ociExternalIntegrationDisabled';

export type ArchitectureName = 'x86_64' | 'arm64' | 's390x' | 'ppc64le' | 'multi';

/** The v2 API uses arm64, the machines report aarch64. */
export const canonicalArchitecture = (name: string): string => (name === 'aarch64' ? 'arm64' : name);

/** A feature's level, and why it cannot be used where it cannot. */
export interface LeveledFeature {
  readonly level: SupportLevel;
  readonly reason?: UnavailableReason;
}

/** Levels below supported can be chosen all the same. */
export const isAvailable = ({ level }: LeveledFeature): boolean => level !== 'unavailable';

/** Nothing stands against choosing it; what is unsupported can be chosen at one's own risk. */
export const isUsable = (level: SupportLevel): boolean => level !== 'unavailable' && level !== 'unsupported';
