import { compareNumbers, parseVersion } from '@muster/feature-support';

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

export type ParsedRequirements =
  | { readonly kind: 'parsed'; readonly table: RequirementsTable }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** JSON field of `HW_VALIDATOR_REQUIREMENTS` → ours. The last two may be absent: then there is no limit. */
const FIELDS = {
  cpu_cores: 'cpuCores',
  ram_mib: 'ramMib',
  disk_size_gb: 'diskSizeGb',
  installation_disk_speed_threshold_ms: 'installationDiskSpeedMsMax',
  network_latency_threshold_ms: 'networkLatencyMsMax',
  packet_loss_percentage: 'packetLossPercentMax',
} as const satisfies Record<string, keyof HostRequirements>;
const REQUIRED_FIELDS = ['cpuCores', 'ramMib', 'diskSizeGb', 'installationDiskSpeedMsMax'] as const;
const REQUIRED_ROLES = ['master', 'worker', 'sno'] as const;

class Unreadable extends Error {}

/** Reads the JSON list of versioned requirements. A `default` entry is demanded; arbiter and edge-worker fall back to worker in it. */
export function parseRequirements(json: string): ParsedRequirements {
  try {
    const entries: unknown = JSON.parse(json);
    if (!Array.isArray(entries)) throw new Unreadable('it must be a list of entries, one per version');
    const overlays = entries.map(parseEntry);
    const standard = overlays.find(({ version }) => version === 'default')?.roles;
    if (!standard) throw new Unreadable('there is no entry with "version": "default"; add one');
    const of = (role: RequirementsRole): HostRequirements => completeRole(role, standard[role]);
    for (const role of REQUIRED_ROLES) of(role);
    const worker = of('worker');
    return {
      kind: 'parsed',
      table: {
        standard: {
          master: of('master'),
          worker,
          sno: of('sno'),
          arbiter: standard.arbiter ? of('arbiter') : worker,
          'edge-worker': standard['edge-worker'] ? of('edge-worker') : worker,
        },
        overlays: overlays.filter(({ version }) => version !== 'default'),
      },
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: 'unreadable', reason: `The hardware requirements cannot be read: ${reason}.` };
  }
}

function parseEntry(entry: unknown, index: number): RequirementsOverlay {
  const fields = asObject(entry, `entry ${index}`);
  const version = fields['version'];
  if (typeof version !== 'string' || version === '') throw new Unreadable(`entry ${index} has no "version"`);
  const matchType = fields['match_type'] ?? 'exact';
  if (matchType !== 'exact' && matchType !== 'min_version')
    throw new Unreadable(`"match_type" of version ${version} must be exact or min_version`);
  if (matchType === 'min_version' && !parseVersion(version))
    throw new Unreadable(`version "${version}" is not a number such as 4.22`);
  const roles: Partial<Record<RequirementsRole, Partial<HostRequirements>>> = {};
  for (const role of REQUIREMENTS_ROLES) {
    if (fields[role] !== undefined) roles[role] = parseRole(fields[role], `${role} of version ${version}`);
  }
  return { version, matchType, roles };
}

function parseRole(role: unknown, place: string): Partial<HostRequirements> {
  const requirements: { -readonly [Field in keyof HostRequirements]?: number } = {};
  for (const [name, value] of Object.entries(asObject(role, place))) {
    if (!(name in FIELDS)) throw new Unreadable(`${place} has an unknown field "${name}"`);
    if (value === null) continue;
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      throw new Unreadable(`"${name}" of ${place} must be a number of 0 or more`);
    requirements[FIELDS[name as keyof typeof FIELDS]] = value;
  }
  return requirements;
}

function completeRole(role: RequirementsRole, given: Partial<HostRequirements> | undefined): HostRequirements {
  const missing = REQUIRED_FIELDS.filter((field) => given?.[field] === undefined);
  if (!given || missing.length > 0)
    throw new Unreadable(`${role} of the default entry lacks ${missing.join(', ')}; give all of them`);
  return given as HostRequirements;
}

function asObject(value: unknown, place: string): { readonly [name: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Unreadable(`${place} must be an object`);
  return value as { readonly [name: string]: unknown };
}
