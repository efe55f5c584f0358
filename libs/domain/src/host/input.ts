import type { HardwareFacts, MachineIdentity, Plain } from '@muster/contracts';
import type { Refusal } from '@muster/problems';
import { listAt, objectAt, parseJson } from '@muster/schema';
import { isHostname, isAfterReboot } from '@muster/validation-rules';
import type { HostCommandOf, HostSurroundings } from './commands';
import type { HostTimeouts } from './deadlines';
import { type HostStage, hostStages, isHostStage, stagePercentage } from './stages';
import { COMMITTED, type HostState, isDay2 } from './state';

type Machine = Plain<MachineIdentity>;

/**
 * Returns true when both machines report addresses and have none in common: boards with one serial number, or cloned
 * machines.
 */
export function isAnotherMachine(one: Machine | undefined, other: Machine | undefined): boolean {
  if (!one || !other || one.macAddresses.length === 0 || other.macAddresses.length === 0) return false;
  return !one.macAddresses.some((address) => other.macAddresses.includes(address));
}

export function isSameClaim(one: Machine | undefined, other: Machine): boolean {
  return (
    one !== undefined &&
    one.serialNumber === other.serialNumber &&
    one.bootId === other.bootId &&
    one.sourceAddress === other.sourceAddress &&
    one.macAddresses.length === other.macAddresses.length &&
    one.macAddresses.every((address, index) => address === other.macAddresses[index])
  );
}

/** Returns true for the machine whose reports are refused during a conflict. */
export function isOtherMachine(state: HostState, machine: Machine): boolean {
  return state.conflict !== undefined && isAnotherMachine(state.conflict.known, machine);
}

/**
 * Returns true when the known machine claimed its id recently, or is in an installation that must not be interrupted.
 */
export function isKnownMachineLive(
  state: HostState,
  at: string,
  lastClaim: string | undefined,
  timeouts: HostTimeouts,
): boolean {
  if (COMMITTED.some((status) => status === state.status)) return true;
  return !state.isSilent && isRecent(lastClaim ?? state.machineClaimedAt, at, timeouts);
}

export function isRecent(claimedAt: string, at: string, timeouts: HostTimeouts): boolean {
  return claimedAt !== '' && Date.parse(at) - Date.parse(claimedAt) <= timeouts.identityClaimMs;
}

/** A validation that is disabled or ignored makes the media of a host connected. */
export const isMediaLost = (conditions: HostSurroundings['conditions'], state: HostState): boolean =>
  !(conditions ? conditions.mediaConnected : state.isMediaConnected);

export const hostNotFound = (hostId: string): Refusal => ({
  code: 'not-found',
  reason: `Host ${hostId} does not exist in this infra-env. Its agent must register it first.`,
  subject: 'host_id',
});

/**
 * Returns the reason why a host cannot have this name, or undefined. An empty name selects the name that the machine
 * reports.
 */
export function hostnameRefusal(name: string): Refusal | undefined {
  if (name === '' || isHostname(name)) return undefined;
  return {
    code: 'invalid-input',
    reason: `host_name ${shown(name)} is not valid. Use at most 63 lower-case letters, digits, hyphens and dots, beginning with a letter or digit. Names of the loopback interface, such as localhost, are not allowed.`,
    subject: 'host_name',
  };
}

const LABEL_PART = /^[A-Za-z0-9](?:[-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;
const DNS_NAME_CHARACTERS_MAX = 253;
const DNS_NAME_PART = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/**
 * Returns the reason why Kubernetes refuses these labels of a node, or undefined. `labels` is the text of a JSON object,
 * or empty.
 */
export function nodeLabelsRefusal(labels: string): Refusal | undefined {
  const wrong = Object.entries(objectAt(parseJson(labels || '{}'))).find(
    ([key, value]) => !isLabelKey(key) || typeof value !== 'string' || (value !== '' && !LABEL_PART.test(value)),
  );
  return (
    wrong && {
      code: 'invalid-input',
      reason: `The label ${shown(wrong[0])} with value ${shown(wrong[1])} is not valid in Kubernetes. A key has the form name or prefix/name, where prefix is a DNS name. Names and values have at most 63 letters, digits, hyphens, underscores and dots, and begin and end with a letter or digit. A value may be empty.`,
      subject: 'node_labels',
    }
  );
}

function isLabelKey(key: string): boolean {
  const [name = '', prefix, ...more] = key.split('/').reverse();
  return LABEL_PART.test(name) && more.length === 0 && (prefix === undefined || isDnsName(prefix));
}

const isDnsName = (text: string): boolean =>
  text.length <= DNS_NAME_CHARACTERS_MAX && text.split('.').every((part) => DNS_NAME_PART.test(part));

/** Returns the reason why a list of ids, which commas separate, cannot contain one of these, or undefined. */
export function keptDisksRefusal(ids: readonly string[]): Refusal | undefined {
  const wrong = ids.find((id) => id === '' || id.includes(','));
  if (wrong === undefined) return undefined;
  return {
    code: 'invalid-input',
    reason: `disk_id ${shown(wrong)} is not the id of a disk. Ids are not empty and contain no commas. The inventory of the host lists them.`,
    subject: 'disks_skip_formatting',
  };
}

/**
 * Returns the reason why no machine-config pool can have this name, or undefined. The name is part of the URL from which
 * the host reads its configuration. An empty name selects the pool of the role.
 */
export function poolNameRefusal(name: string): Refusal | undefined {
  if (name === '' || isDnsName(name)) return undefined;
  return {
    code: 'invalid-input',
    reason: `machine_config_pool_name ${shown(name)} is not valid. Use the name of a MachineConfigPool: at most 253 lower-case letters, digits, hyphens and dots. Each part between dots begins and ends with a letter or digit.`,
    subject: 'machine_config_pool_name',
  };
}

const SWITCHES = ['-n', '--copy-network'];
/** The flags of `coreos-installer install` that assisted-service v2 allows. All except the switches have one value. */
const INSTALLER_FLAGS = [
  '--append-karg',
  '--delete-karg',
  ...SWITCHES,
  '--network-dir',
  '--save-partlabel',
  '--save-partindex',
  '--image-url',
  '--image-file',
];
const FLAG_VALUE = /^[\w!"#$%'()*+,\-./:;<=@[\]{}]+$/;

/**
 * Returns the reason why the host must not be installed with these additional arguments, or undefined. `installerArgs` is
 * the text of a JSON array, or empty.
 */
export function installerArgsRefusal(installerArgs: string): Refusal | undefined {
  const isAllowed = (arg: unknown): boolean =>
    typeof arg === 'string' && (arg.startsWith('-') ? INSTALLER_FLAGS.includes(arg) : FLAG_VALUE.test(arg));
  const args = listAt(parseJson(installerArgs || '[]'));
  const wrong = args.findIndex((arg) => !isAllowed(arg));
  if (wrong < 0) return unreadableArgs(args.map(String));
  const arg = String(args[wrong]);
  return {
    code: 'invalid-input',
    reason: arg.startsWith('-')
      ? `The installer argument ${shown(arg)} is not an allowed flag. The value of a flag is a separate argument.`
      : `The installer argument ${shown(arg)} is not an allowed value. It must have one or more characters, which may be letters, digits and !"#$%'()*+,-./:;<=@[]_{}.`,
    subject: 'args',
    allowed: INSTALLER_FLAGS,
  };
}

/** coreos-installer would read the next flag or the disk as the value of a flag without one, and a lone value as the disk. */
function unreadableArgs(args: readonly string[]): Refusal | undefined {
  const needsValue = (arg: string): boolean => arg.startsWith('-') && !SWITCHES.includes(arg);
  const hasValue = (index: number): boolean => args[index + 1]?.startsWith('-') === false;
  const wrong = args.findIndex((arg, index) =>
    arg.startsWith('-') ? needsValue(arg) && !hasValue(index) : !needsValue(args[index - 1] ?? ''),
  );
  const arg = args[wrong];
  if (arg === undefined) return undefined;
  const reason = arg.startsWith('-')
    ? `The installer flag ${shown(arg)} needs a value after it, as a separate argument.`
    : `The installer argument ${shown(arg)} is not the value of a flag. Each flag except -n and --copy-network has one value.`;
  return { code: 'invalid-input', reason, subject: 'args' };
}

/** Longer than any label that is valid. */
const SHOWN_CHARACTERS_MAX = 400;
const shown = (value: unknown): string => JSON.stringify(String(value).slice(0, SHOWN_CHARACTERS_MAX));

const NO_MAC_ADDRESS = '00:00:00:00:00:00';

/**
 * Returns the identity of a machine from its inventory: sorted MAC addresses of its physical network cards, and serial
 * number.
 */
export function machineOf(hardware: Plain<HardwareFacts>, sourceAddress: string): Plain<MachineIdentity> {
  const macAddresses = hardware.nics
    .filter(({ type }) => type === '' || type === 'physical')
    .map(({ macAddress }) => macAddress)
    .filter((address) => address !== '' && address !== NO_MAC_ADDRESS)
    .sort();
  return { macAddresses, serialNumber: hardware.serialNumber, bootId: '', sourceAddress };
}

/** Returns the installation disk as `<model> <serial> (<name>, <id>)`. Undefined when none is selected. */
export function installationDiskLabel(
  { installationDisk }: Pick<HostState, 'installationDisk'>,
  hardware: Plain<HardwareFacts> | undefined,
): string | undefined {
  const disk = hardware?.disks.find(({ id }) => id === installationDisk.id);
  return disk && `${[disk.model, disk.serial].filter(Boolean).join(' ')} (${disk.name}, ${disk.id})`.trim();
}

/** Validations that depend on a measurement that runs once, and the step that measures. */
const MEASUREMENTS: ReadonlyMap<string, string> = new Map([
  ['sufficient-installation-disk-speed', 'installation-disk-speed-check'],
  ['container-images-available', 'container-image-availability'],
]);

/** Returns the step whose result has to be discarded to measure for the validation again. */
export function measurementOfValidation(
  validationId: string,
  { status, clusterId }: Pick<HostState, 'status' | 'clusterId'>,
  hostId: string,
): { readonly kind: 'step'; readonly stepType: string } | { readonly kind: 'refused'; readonly refusal: Refusal } {
  const stepType = MEASUREMENTS.get(validationId);
  if (!stepType)
    return refused({
      code: 'invalid-input',
      reason: `validation_id "${validationId.slice(0, 100)}" cannot be reset.`,
      subject: 'validation_id',
      allowed: [...MEASUREMENTS.keys()],
    });
  if (status === 'unregistered') return refused(hostNotFound(hostId));
  if (!clusterId)
    return refused({
      code: 'not-allowed-in-state',
      reason:
        'The host is not bound to a cluster, so this validation was not measured. Bind the host to a cluster first.',
      subject: 'host_id',
    });
  return { kind: 'step', stepType };
}

const refused = (refusal: Refusal): { readonly kind: 'refused'; readonly refusal: Refusal } => ({
  kind: 'refused',
  refusal,
});

/** The results of comparing a reported stage with the stages of the role. From the reboot on, `onward` is `arrival`. */
export const PROGRESS_CHANGES = [
  'repeat',
  'information',
  'not-a-stage',
  'unlisted',
  'backward',
  'failed',
  'onward',
  'arrival',
  'done',
] as const;

/** The result of a progress report for this host. */
export interface ReportedProgress {
  readonly change: (typeof PROGRESS_CHANGES)[number];
  readonly stage: HostStage | '';
  readonly percentage: number;
  /** Stages that the host may report. */
  readonly stages: readonly HostStage[];
}

/**
 * Compares a report with the stages of the role: known stages only, never an earlier one. The first report may have any
 * stage.
 */
export function readProgress(state: HostState, report: HostCommandOf<'ReportProgress'>): ReportedProgress {
  const { progress } = state;
  const stages = hostStages({
    role: state.role,
    isBootstrap: state.isBootstrap,
    isDay2: isDay2(state),
    controlPlaneCount: report.controlPlaneCount,
    isKubeApi: report.isKubeApi,
  });
  const same = { stage: progress.stage, percentage: progress.percentage, stages };

  if (!isHostStage(report.stage)) return { ...same, change: 'not-a-stage' };
  if (report.stage === 'Failed') return { ...same, change: 'failed' };

  // A day-2 host does not report after its reboot unless the Kubernetes API watches it, so rebooting is its last stage.
  const isLast = report.stage === 'Rebooting' && isDay2(state) && !report.isKubeApi;
  const stage = isLast ? 'Done' : report.stage;
  if (stage === progress.stage) return { ...same, change: report.info === progress.info ? 'repeat' : 'information' };

  const percentage = stagePercentage(report.stage, stages);
  const reported = { stage, percentage, stages };
  if (progress.stage !== '') {
    const index = stages.indexOf(report.stage);
    if (index < 0) return { ...reported, change: 'unlisted' };
    if (index < stages.indexOf(progress.stage)) return { ...reported, change: 'backward' };
  }
  if (stage === 'Done') return { ...reported, change: 'done' };
  return { ...reported, change: isAfterReboot(stage) ? 'arrival' : 'onward' };
}
