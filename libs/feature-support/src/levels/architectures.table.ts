import type { FirstMatch, VersionRange } from '../feature';
import type { ArchitectureName, SupportLevel } from './support-level';

/** `architecture-support-level-id` of the contract. */
export type ArchitectureId =
  | 'X86_64_ARCHITECTURE'
  | 'ARM64_ARCHITECTURE'
  | 'S390X_ARCHITECTURE'
  | 'PPC64LE_ARCHITECTURE'
  | 'MULTIARCH_RELEASE_IMAGE';

/** A processor architecture, or a release that holds several. */
export interface Architecture {
  readonly id: ArchitectureId;
  readonly name: ArchitectureName;
  readonly levels: FirstMatch<VersionRange & { readonly level: SupportLevel }>;
}

const SINCE_4_12: Architecture['levels'] = [
  { before: '4.12', level: 'unavailable' },
  { line: '4.12', level: 'tech-preview' },
  { level: 'supported' },
];

export const ARCHITECTURES: readonly Architecture[] = [
  { id: 'X86_64_ARCHITECTURE', name: 'x86_64', levels: [{ level: 'supported' }] },
  {
    id: 'ARM64_ARCHITECTURE',
    name: 'arm64',
    levels: [{ before: '4.10', level: 'unavailable' }, { level: 'supported' }],
  },
  { id: 'S390X_ARCHITECTURE', name: 's390x', levels: SINCE_4_12 },
  { id: 'PPC64LE_ARCHITECTURE', name: 'ppc64le', levels: SINCE_4_12 },
  {
    id: 'MULTIARCH_RELEASE_IMAGE',
    name: 'multi',
    levels: [{ before: '4.11', level: 'unavailable' }, { level: 'tech-preview' }],
  },
];
