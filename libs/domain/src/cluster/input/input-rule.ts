import type { ClusterSettings, Plain } from '@muster/contracts';
import type { ClusterKind } from '../state';

export interface ClusterInput {
  readonly kind: ClusterKind;
  readonly imported: boolean;
  /** What the user said. */
  readonly given: Plain<ClusterSettings>;
  /** What the settings would be, defaults and consequences included. */
  readonly settings: Plain<ClusterSettings>;
  /** What they are; undefined for a new cluster. */
  readonly before: Plain<ClusterSettings> | undefined;
  /** The architectures of the images that hosts of the cluster boot, beside the cluster's own. */
  readonly imageArchitectures: readonly string[];
}

export interface BrokenInput {
  /** Where it is not the rule's own subject that has to change. */
  readonly subject?: string;
  readonly reason: string;
  readonly allowed?: readonly string[];
}

/** One rule over what a user may say; it sees nothing else. */
export interface ClusterInputRule {
  readonly id: string;
  /** Field of the contract that a refusal names. */
  readonly subject: string;
  /** A revision is checked only when it speaks of one of these: what was accepted once is not held against it later. */
  readonly fields: readonly (keyof Plain<ClusterSettings>)[];
  readonly check: (input: ClusterInput) => BrokenInput | undefined;
}

/** The value has to be one of a list; empty counts as not given. */
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
      return { reason: `${subject} ${JSON.stringify(value)} is not an allowed value.`, allowed };
    },
  };
}
