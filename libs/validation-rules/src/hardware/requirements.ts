import { compareNumbers, parseVersion } from '@muster/feature-support';
import { createJsonParser, formatViolation } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';

/** The row of a requirements table that applies to a host. */
export type RequirementsRole = 'master' | 'arbiter' | 'worker' | 'sno' | 'edge-worker';
export const REQUIREMENTS_ROLES: readonly RequirementsRole[] = ['master', 'arbiter', 'worker', 'sno', 'edge-worker'];

export interface HostRequirements {
  readonly cpuCores: number;
  readonly ramMib: number;
  /** Decimal GB. */
  readonly diskSizeGb: number;
  readonly installationDiskSpeedMsMax: number;
  /** Undefined: no limit. */
  readonly networkLatencyMsMax?: number;
  readonly packetLossPercentMax?: number;
}

export type RoleRequirements = Readonly<Record<RequirementsRole, HostRequirements>>;

/** The changes for one version. An absent field has its default value. */
export interface RequirementsOverlay {
  /** `exact`: this version only. `min_version`: this version and later ones. The highest matching entry applies. */
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

/**
 * Returns the requirements of one version: the exact entry, else the highest `min_version` entry that is not above it,
 * merged with the default.
 */
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

/** The form of `HW_VALIDATOR_REQUIREMENTS`. A limit that is absent or null is not checked. */
const LIMIT = Type.Optional(Type.Number({ minimum: 0, expected: 'a number of 0 or more' }));
const ROLE = Type.Object(
  {
    cpu_cores: LIMIT,
    ram_mib: LIMIT,
    disk_size_gb: LIMIT,
    installation_disk_speed_threshold_ms: LIMIT,
    network_latency_threshold_ms: LIMIT,
    packet_loss_percentage: LIMIT,
  },
  { additionalProperties: false },
);
const ENTRY = Type.Object({
  version: Type.String({ minLength: 1 }),
  match_type: Type.Optional(
    Type.Unsafe<RequirementsOverlay['matchType']>({ type: 'string', enum: ['exact', 'min_version'] }),
  ),
  master: Type.Optional(ROLE),
  arbiter: Type.Optional(ROLE),
  worker: Type.Optional(ROLE),
  sno: Type.Optional(ROLE),
  'edge-worker': Type.Optional(ROLE),
});
type Role = Static<typeof ROLE>;
type Entry = Static<typeof ENTRY>;
const REQUIRED_FIELDS = ['cpu_cores', 'ram_mib', 'disk_size_gb', 'installation_disk_speed_threshold_ms'] as const;
const readEntries = createJsonParser(Type.Array(ENTRY), { name: 'requirements', nullIsAbsent: true });

/**
 * Parses the JSON list of versioned requirements. It must contain a `default` entry, in which arbiter and edge-worker
 * have the values of worker by default.
 */
export function parseRequirements(json: string): ParsedRequirements {
  const entries = readEntries(json);
  if (entries.kind === 'invalid') return unreadable(formatViolation(entries.violations[0]));
  const unversioned = entries.value.find((entry) => entry.match_type === 'min_version' && !parseVersion(entry.version));
  if (unversioned) return unreadable(`version "${unversioned.version}" is not a number such as 4.22`);
  const standard = entries.value.find(({ version }) => version === 'default');
  if (!standard) return unreadable('there is no entry with "version": "default". Add one');
  const { master, worker, sno, arbiter = worker, 'edge-worker': edgeWorker = worker } = standard;
  const given = { master, worker, sno, arbiter, 'edge-worker': edgeWorker };
  const roles: { -readonly [R in RequirementsRole]?: HostRequirements } = {};
  for (const role of REQUIREMENTS_ROLES) {
    const requirements = toRequirements(given[role]);
    const { cpuCores, ramMib, diskSizeGb, installationDiskSpeedMsMax } = requirements;
    if (
      cpuCores === undefined ||
      ramMib === undefined ||
      diskSizeGb === undefined ||
      installationDiskSpeedMsMax === undefined
    )
      return unreadable(`${role} of the default entry lacks ${missingOf(given[role]).join(', ')}. Set all of them`);
    roles[role] = { ...requirements, cpuCores, ramMib, diskSizeGb, installationDiskSpeedMsMax };
  }
  const overlays = entries.value.filter((entry) => entry !== standard).map(toOverlay);
  return { kind: 'parsed', table: { standard: { ...DEFAULT_REQUIREMENTS.standard, ...roles }, overlays } };
}

const missingOf = (role: Role = {}): readonly string[] => REQUIRED_FIELDS.filter((field) => role[field] === undefined);

function toRequirements(role: Role = {}): Partial<HostRequirements> {
  const all = {
    cpuCores: role.cpu_cores,
    ramMib: role.ram_mib,
    diskSizeGb: role.disk_size_gb,
    installationDiskSpeedMsMax: role.installation_disk_speed_threshold_ms,
    networkLatencyMsMax: role.network_latency_threshold_ms,
    packetLossPercentMax: role.packet_loss_percentage,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function toOverlay(entry: Entry): RequirementsOverlay {
  const roles: Partial<Record<RequirementsRole, Partial<HostRequirements>>> = {};
  for (const role of REQUIREMENTS_ROLES) if (entry[role]) roles[role] = toRequirements(entry[role]);
  return { version: entry.version, matchType: entry.match_type ?? 'exact', roles };
}

const unreadable = (reason: string): ParsedRequirements => ({
  kind: 'unreadable',
  reason: `The hardware requirements cannot be read: ${reason}.`,
});
