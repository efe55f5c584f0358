interface ReportingStep {
  /** Whether the inventory service gets the reply. */
  readonly isStored: (exitCode: number, output: string) => boolean;
}

const onSuccess: ReportingStep = { isStored: (exitCode) => exitCode === 0 };
/** A failure says something too. */
const always: ReportingStep = { isStored: () => true };
/** The same, but an empty success means: another run is under way. */
const unlessUnderWay: ReportingStep = { isStored: (exitCode, output) => exitCode !== 0 || output !== '' };

/** Steps whose output is a report about the host. */
export const REPORTING_STEPS: ReadonlyMap<string, ReportingStep> = new Map([
  ['inventory', onSuccess],
  ['connectivity-check', onSuccess],
  ['free-network-addresses', onSuccess],
  ['ntp-synchronizer', onSuccess],
  ['domain-resolution', onSuccess],
  ['verify-vips', onSuccess],
  ['api-vip-connectivity-check', onSuccess],
  ['tang-connectivity-check', always],
  ['installation-disk-speed-check', unlessUnderWay],
  ['container-image-availability', unlessUnderWay],
]);

/** While its disk is being written a host may still tell that disk's path anew; otherwise it is inspected only before. */
export const STATUSES_TAKING_INVENTORY: readonly string[] = [
  'discovering',
  'known',
  'disconnected',
  'insufficient',
  'pending-for-input',
  'installing-in-progress',
  'discovering-unbound',
  'known-unbound',
  'disconnected-unbound',
  'insufficient-unbound',
];
