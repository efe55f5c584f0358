import { compareNumbers, parseVersion } from '../versions/openshift-version';

/** Which line of a requirements table a host has to meet. */
export type RequirementsRole = 'master' | 'arbiter' | 'worker' | 'sno' | 'edge-worker';
export const REQUIREMENTS_ROLES: readonly RequirementsRole[] = ['master', 'arbiter', 'worker', 'sno', 'edge-worker'];

export interface HostRequirements {
  readonly cpuCores: number;
  readonly ramMib: number;
  /** Decimal GB. */
  readonly diskSizeGb: number;
  readonly installationDiskSpeedMsMax: number;
  /** Undefined: not limited. */
  readonly networkLatencyMsMax?: number;
  readonly packetLossPercentMax?: number;
}

export type RoleRequirements = Readonly<Record<RequirementsRole, HostRequirements>>;

/** What one version changes; a field that is not given stays as in the default. */
export interface RequirementsOverlay {
  /** `exact`: this version string only. `min_version`: this version and later ones, the highest that fits. */
  readonly matchType: 'exact' | 'min_version';
  readonly version: string;
  readonly roles: Readonly<Partial<Record<RequirementsRole, Partial<HostRequirements>>>>;
}

export interface RequirementsTable {
  readonly standard: RoleRequirements;
  readonly overlays: readonly RequirementsOverlay[];
}

const DISK_SPEED_MS_MAX = 10;

export const DEFAULT_REQUIREMENTS: RequirementsTable = {
  standard: {
    master: {
      cpuCores: 4,
      ramMib: 16_384,
      diskSizeGb: 100,
      installationDiskSpeedMsMax: DISK_SPEED_MS_MAX,
      networkLatencyMsMax: 100,
      packetLossPercentMax: 0,
    },
    arbiter: {
      cpuCores: 2,
      ramMib: 8_192,
      diskSizeGb: 50,
      installationDiskSpeedMsMax: DISK_SPEED_MS_MAX,
      networkLatencyMsMax: 1_000,
      packetLossPercentMax: 0,
    },
    worker: {
      cpuCores: 2,
      ramMib: 8_192,
      diskSizeGb: 100,
      installationDiskSpeedMsMax: DISK_SPEED_MS_MAX,
      networkLatencyMsMax: 1_000,
      packetLossPercentMax: 10,
    },
    sno: { cpuCores: 8, ramMib: 16_384, diskSizeGb: 100, installationDiskSpeedMsMax: DISK_SPEED_MS_MAX },
    'edge-worker': { cpuCores: 2, ramMib: 8_192, diskSizeGb: 15, installationDiskSpeedMsMax: DISK_SPEED_MS_MAX },
  },
  overlays: [{ matchType: 'min_version', version: '4.22', roles: { sno: { cpuCores: 4 } } }],
};

/** The requirements of one version: exact entry, else the highest `min_version` entry that is not above it, over the default. */
export function requirementsOf(table: RequirementsTable, openshiftVersion: string): RoleRequirements {
  const overlay = overlayOf(table, openshiftVersion);
  if (!overlay) return table.standard;
  const of = (role: RequirementsRole): HostRequirements => ({ ...table.standard[role], ...overlay.roles[role] });
  return {
    master: of('master'),
    arbiter: of('arbiter'),
    worker: of('worker'),
    sno: of('sno'),
    'edge-worker': of('edge-worker'),
  };
}

function overlayOf(table: RequirementsTable, openshiftVersion: string): RequirementsOverlay | undefined {
  const exact = table.overlays.find(({ matchType, version }) => matchType === 'exact' && version === openshiftVersion);
  const wanted = parseVersion(openshiftVersion);
  if (exact || !wanted) return exact;
  let best: { readonly overlay: RequirementsOverlay; readonly version: NonNullable<typeof wanted> } | undefined;
  for (const overlay of table.overlays) {
    const version = overlay.matchType === 'min_version' ? parseVersion(overlay.version) : undefined;
    if (!version || compareNumbers(version, wanted) > 0) continue;
    if (!best || compareNumbers(version, best.version) > 0) best = { overlay, version };
  }
  return best?.overlay;
}
