import type { ClusterSettings, Plain } from '@muster/contracts';
import { RefusalError } from '@muster/problems';
import { ALL_RULES, checkOverrides, ignorableRules, type OverrideSubject } from '@muster/validation-rules';

type Settings = Plain<ClusterSettings>;

const MEMBERS: readonly {
  readonly subject: OverrideSubject;
  readonly member: 'ignoredHostValidations' | 'ignoredClusterValidations';
  /** As the contract calls it. */
  readonly field: string;
}[] = [
  { subject: 'host', member: 'ignoredHostValidations', field: 'host-validation-ids' },
  { subject: 'cluster', member: 'ignoredClusterValidations', field: 'cluster-validation-ids' },
];

/** Throws RefusalError `invalid-input` that names every id that cannot be ignored, and why. */
export function requireIgnorable(changes: Settings): void {
  for (const { subject, member, field } of MEMBERS) {
    const { unknown, neverIgnorable } = checkOverrides(subject, changes[member]?.items ?? []);
    const errors = [
      ...(unknown.length > 0 ? [`there are no such validations of a ${subject}: ${shown(unknown)}`] : []),
      ...(neverIgnorable.length > 0 ? [`these can never be ignored: ${shown(neverIgnorable)}`] : []),
    ];
    if (errors.length === 0) continue;
    throw new RefusalError({
      code: 'invalid-input',
      reason: `Nothing was changed: ${errors.join('; ')}.`,
      subject: field,
      allowed: unknown.length > 0 ? [ALL_RULES, ...ignorableRules(subject)] : undefined,
    });
  }
}

/** Limits of ids in a message: they are input of the caller. */
const DISPLAYED_IDS_MAX = 20;
const DISPLAYED_CHARACTERS_MAX = 100;
const shown = (ids: readonly string[]): string =>
  ids
    .slice(0, DISPLAYED_IDS_MAX)
    .map((id) => id.slice(0, DISPLAYED_CHARACTERS_MAX))
    .join(', ');
