import { Nullable, type Static, StringEnum } from '@muster/assisted-api';
import type { ValidationService } from '@muster/contracts';
import type { InputOf, OutputOf } from '@muster/nest-kit';
import {
  type BlockingStatus,
  clusterBlockingStatus,
  hostBlockingStatus,
  type Outcome,
  renderClusterOutcome,
  type RenderedOutcome,
  renderHostOutcome,
} from '@muster/validation-rules';
import { Type } from '@sinclair/typebox';

/** An outcome, with its history when the history is recorded. */
type OutcomeRecord = Outcome & { readonly since?: string; readonly flips?: number };

/** How the outcomes of hosts or of clusters are presented. */
interface Presentation {
  readonly render: (outcome: Outcome) => RenderedOutcome;
  readonly blockingStatusOf: (outcome: Outcome) => BlockingStatus;
}

/** One validation with all its details. */
export const VALIDATION_SCHEMA = Type.Object(
  {
    id: Type.String(),
    category: Type.String(),
    status: StringEnum<string>(['success', 'failure', 'pending', 'error', 'disabled']),
    message: Type.String(),
    measured: Type.String(),
    required: Type.String(),
    remedy: Type.String(),
    since: Nullable(Type.String({ format: 'date-time' })),
    flips: Type.Integer(),
    flapping: Nullable(
      Type.Object(
        {
          since: Type.String({ format: 'date-time' }),
          flips: Type.Integer(),
          window_seconds: Type.Integer(),
          quiet_seconds: Type.Integer(),
        },
        { title: 'flapping' },
      ),
    ),
    gate: StringEnum<BlockingStatus['gate']>(['known', 'ready', 'preparation', 'soft']),
    ignorable: Type.Boolean(),
    ignored: Type.Boolean(),
    blocks: Type.Boolean(),
  },
  { title: 'validation' },
);
export type PresentedValidation = Static<typeof VALIDATION_SCHEMA>;

/** Sorted by id. */
export const VALIDATIONS_SCHEMA = Type.Object(
  {
    validations: Type.Array(VALIDATION_SCHEMA),
    unsupported_by_override: Type.Boolean(),
  },
  { title: 'validations' },
);
export type PresentedValidations = Static<typeof VALIDATIONS_SCHEMA>;

export function presentValidations(
  outcomes: readonly OutcomeRecord[],
  { render, blockingStatusOf }: Presentation,
): readonly PresentedValidation[] {
  return outcomes
    .map((outcome) => presentValidation(outcome, render(outcome), blockingStatusOf(outcome)))
    .sort((first, second) => (first.id < second.id ? -1 : 1));
}

function presentValidation(
  { since, flips, flapping }: OutcomeRecord,
  { id, category, status, message, measured, required, remedy }: RenderedOutcome,
  { gate, isIgnorable, isIgnored, isBlocking }: BlockingStatus,
): PresentedValidation {
  return {
    id,
    category,
    status,
    message,
    measured,
    required,
    remedy,
    since: since || null,
    flips: flips ?? 0,
    flapping: flapping
      ? {
          since: flapping.since,
          flips: flapping.flips,
          window_seconds: flapping.windowSeconds,
          quiet_seconds: flapping.quietSeconds,
        }
      : null,
    gate,
    ignorable: isIgnorable,
    ignored: isIgnored,
    blocks: isBlocking,
  };
}

type Found = OutputOf<typeof ValidationService.method.dryRun>;
type DryRunResult = InputOf<typeof ValidationService.method.dryRun>['hosts'];

/** `blocking`: outcomes that block an installation. `unmeasured`: outcomes that are unknown until hosts report. */
const FINDING = Type.Object(
  { host_id: Nullable(Type.String()), id: Type.String(), message: Type.String(), remedy: Type.String() },
  { title: 'preflight-finding' },
);

export const PREFLIGHT = Type.Object(
  {
    result: StringEnum(['ready', 'ready-once-measured', 'blocked']),
    blocking: Type.Array(FINDING),
    unmeasured: Type.Array(FINDING),
    machine_networks: Type.Array(Type.String()),
    validations: Type.Array(VALIDATION_SCHEMA),
    hosts: Type.Array(
      Type.Object(
        {
          host_id: Type.String(),
          role: Type.String(),
          installation_disk_id: Type.String(),
          installation_disk_path: Type.String(),
          validations: Type.Array(VALIDATION_SCHEMA),
        },
        { title: 'preflight-host' },
      ),
    ),
  },
  { title: 'preflight' },
);
export type Preflight = Static<typeof PREFLIGHT>;
type Finding = Preflight['blocking'][number];

/** A dry run ignores no validations. */
const NOTHING_IGNORED: readonly string[] = [];

export function presentPreflight(found: Found, dryRun: DryRunResult): Preflight {
  const validations = presentValidations(found.outcomes, {
    render: renderClusterOutcome,
    blockingStatusOf: (outcome) => clusterBlockingStatus(outcome, NOTHING_IGNORED),
  });
  const hosts = found.hosts.map((host, index) => ({
    host_id: dryRun[index]?.hostId ?? host.hostId,
    role: host.role,
    installation_disk_id: host.installationDiskId,
    installation_disk_path: host.installationDiskPath,
    validations: presentValidations(host.outcomes, {
      render: renderHostOutcome,
      blockingStatusOf: (outcome) => hostBlockingStatus(outcome, NOTHING_IGNORED, true),
    }),
  }));
  const findings = [
    ...hosts.flatMap((host) => findingsOf(host.host_id, host.validations)),
    ...findingsOf(null, validations),
  ];
  const blocking = findings.filter(({ isPending }) => !isPending).map(({ finding }) => finding);
  const unmeasured = findings.filter(({ isPending }) => isPending).map(({ finding }) => finding);
  const open = unmeasured.length > 0 ? 'ready-once-measured' : 'ready';
  return {
    result: blocking.length > 0 ? 'blocked' : open,
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
    .filter((validation) => validation.blocks)
    .map(({ id, status, message, remedy }) => ({
      isPending: status === 'pending',
      finding: { host_id: hostId, id, message, remedy },
    }));
