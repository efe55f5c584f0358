import { choice, list, orNull, record, type Static, text } from '@muster/assisted-api';
import type { ValidationService } from '@muster/contracts';
import type { InputOf, OutputOf } from '@muster/nest-kit';
import { clusterBlockingStatus, hostBlockingStatus } from '@muster/validation-rules';
import { presentValidations, VALIDATION_SCHEMA, type PresentedValidation } from './present-validations';

type Found = OutputOf<typeof ValidationService.method.dryRun>;
type DryRunResult = InputOf<typeof ValidationService.method.dryRun>['hosts'];

/** `blocking` is what would hold an installation back, `unmeasured` what nobody knows before the hosts have tried it. */
const FINDING = record('preflight-finding', { host_id: orNull(text()), id: text(), message: text(), remedy: text() });

export const PREFLIGHT = record('preflight', {
  verdict: choice(['ready', 'ready-once-measured', 'blocked']),
  blocking: list(FINDING),
  unmeasured: list(FINDING),
  machine_networks: list(text()),
  validations: list(VALIDATION_SCHEMA),
  hosts: list(
    record('preflight-host', {
      host_id: text(),
      role: text(),
      installation_disk_id: text(),
      installation_disk_path: text(),
      validations: list(VALIDATION_SCHEMA),
    }),
  ),
});
export type Preflight = Static<typeof PREFLIGHT>;
type Finding = Preflight['blocking'][number];

/** Nobody overrides what is not there. */
const NOTHING_IGNORED: readonly string[] = [];

export function presentPreflight(found: Found, dryRun: DryRunResult): Preflight {
  const validations = presentValidations(found.outcomes, (outcome) => clusterBlockingStatus(outcome, NOTHING_IGNORED));
  const hosts = found.hosts.map((host, index) => ({
    host_id: dryRun[index]?.hostId ?? host.hostId,
    role: host.role,
    installation_disk_id: host.installationDiskId,
    installation_disk_path: host.installationDiskPath,
    validations: presentValidations(host.outcomes, (outcome) => hostBlockingStatus(outcome, NOTHING_IGNORED, true)),
  }));
  const findings = [
    ...hosts.flatMap((host) => findingsOf(host.host_id, host.validations)),
    ...findingsOf(null, validations),
  ];
  const blocking = findings.filter(({ isPending }) => !isPending).map(({ finding }) => finding);
  const unmeasured = findings.filter(({ isPending }) => isPending).map(({ finding }) => finding);
  const open = unmeasured.length > 0 ? 'ready-once-measured' : 'ready';
  return {
    verdict: blocking.length > 0 ? 'blocked' : open,
    blocking,
    unmeasured,
    machine_networks: found.machineNetworks,
    validations,
    hosts,
  };
}

const findingsOf = (
  hostId: string | null,
  validations: readonly PresentedValidation[],
): readonly { readonly isPending: boolean; readonly finding: Finding }[] =>
  validations
    .filter((validation) => validation.holds_back)
    .map(({ id, status, message, remedy }) => ({
      isPending: status === 'pending',
      finding: { host_id: hostId, id, message, remedy },
    }));
