import type { ClusterSettings, Plain } from '@muster/contracts';
import type { ControlPlaneHost } from '@muster/feature-support';
import type { ClusterKind } from '../state';

export interface ClusterInput {
  readonly kind: ClusterKind;
  readonly imported: boolean;
  /** The values that the user set. */
  readonly given: Plain<ClusterSettings>;
  /** The settings after the command, including defaults and derived values. */
  readonly settings: Plain<ClusterSettings>;
  /** The settings before the command; undefined for a new cluster. */
  readonly before: Plain<ClusterSettings> | undefined;
  /** The architectures of the images that hosts of the cluster boot, in addition to the cluster's own. */
  readonly imageArchitectures: readonly string[];
  /** The hosts of the cluster with the role of a master or an arbiter. */
  readonly controlPlaneHosts: readonly ControlPlaneHost[];
}

export interface BrokenInput {
  /** The field that has to change, when it is not the subject of the rule. */
  readonly subject?: string;
  readonly reason: string;
  readonly allowed?: readonly string[];
}

/** One rule for user input. */
export interface ClusterInputRule {
  readonly id: string;
  /** Field of the v2 API that a refusal names. */
  readonly subject: string;
  /**
   * A revision is checked only when it sets one of these fields, so that a value that was accepted earlier is not
   * refused later.
   */
  readonly fields: readonly (keyof Plain<ClusterSettings>)[];
  readonly check: (input: ClusterInput) => BrokenInput | undefined;
}

/** Returns a rule that requires a value from a list. An empty value counts as absent. */
export function oneOf(
  field: keyof Plain<ClusterSettings>,
  subject: string,
  allowed: readonly string[],
): ClusterInputRule {
  return {
    id: `${subject.replaceAll('_', '-')}-known`,
    subject,
    fields: [field],
    check: ({ given }) => {
      const value = given[field];
      if (value === undefined || value === '' || (typeof value === 'string' && allowed.includes(value)))
        return undefined;
      return notAllowed(subject, value, allowed);
    },
  };
}

export const notAllowed = (field: string, value: unknown, allowed: readonly string[]): BrokenInput => ({
  reason: `${field} ${JSON.stringify(value)} is not an allowed value.`,
  allowed,
});
