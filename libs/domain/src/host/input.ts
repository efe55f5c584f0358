import type { HardwareFacts, MachineIdentity, Plain } from '@muster/contracts';
import type { Refusal } from '@muster/problems';
import { isHostname } from '@muster/validation-rules';
import type { HostState } from './state';

export const hostNotFound = (hostId: string): Refusal => ({
  code: 'not-found',
  reason: `Host ${hostId} does not exist in this infra-env. Its agent must register it first.`,
  subject: 'host_id',
});

/** The reason why a host cannot have this name, or undefined. An empty name stands for the name that the machine reports. */
export function hostnameRefusal(name: string): Refusal | undefined {
  if (name === '' || isHostname(name)) return undefined;
  return {
    code: 'invalid-input',
    reason: `host_name "${name}" is not valid. Use letters, digits, hyphens and dots, with at most 63 characters between two dots.`,
    subject: 'host_name',
  };
}

const NO_MAC_ADDRESS = '00:00:00:00:00:00';

/** The identity that an inventory gives a machine: addresses of its physical network cards, sorted, and serial number. */
export function machineOf(hardware: Plain<HardwareFacts>, sourceAddress: string): Plain<MachineIdentity> {
  const macAddresses = hardware.nics
    .filter(({ type }) => type === '' || type === 'physical')
    .map(({ macAddress }) => macAddress)
    .filter((address) => address !== '' && address !== NO_MAC_ADDRESS)
    .sort();
  return { macAddresses, serialNumber: hardware.serialNumber, bootId: '', sourceAddress };
}

/** The installation disk as `<model> <serial> (<name>, <id>)`; undefined while none is selected. */
export function installationDiskLabel(
  { installationDisk }: Pick<HostState, 'installationDisk'>,
  hardware: Plain<HardwareFacts> | undefined,
): string | undefined {
  const disk = hardware?.disks.find(({ id }) => id === installationDisk.id);
  return disk && `${[disk.model, disk.serial].filter(Boolean).join(' ')} (${disk.name}, ${disk.id})`.trim();
}

/** Validations that rest on a measurement which is taken once, and the step that takes it. */
const MEASUREMENTS: ReadonlyMap<string, string> = new Map([
  ['sufficient-installation-disk-speed', 'installation-disk-speed-check'],
  ['container-images-available', 'container-image-availability'],
]);

/** The step whose result has to be discarded so that the validation is measured again. */
export function measurementOfValidation(
  validationId: string,
  { status, clusterId }: Pick<HostState, 'status' | 'clusterId'>,
  hostId: string,
): { readonly kind: 'step'; readonly stepType: string } | { readonly kind: 'refused'; readonly refusal: Refusal } {
  const stepType = MEASUREMENTS.get(validationId);
  if (!stepType)
    return refused({
      code: 'invalid-input',
      reason: `validation_id "${validationId.slice(0, 100)}" cannot be reset. Allowed: ${[...MEASUREMENTS.keys()].join(', ')}.`,
      subject: 'validation_id',
      allowed: [...MEASUREMENTS.keys()],
    });
  if (status === 'unregistered') return refused(hostNotFound(hostId));
  if (!clusterId)
    return refused({
      code: 'not-allowed-in-state',
      reason: 'The host belongs to no cluster, so it was not measured for one. Bind it to a cluster first.',
      subject: 'host_id',
    });
  return { kind: 'step', stepType };
}

const refused = (refusal: Refusal): { readonly kind: 'refused'; readonly refusal: Refusal } => ({
  kind: 'refused',
  refusal,
});
