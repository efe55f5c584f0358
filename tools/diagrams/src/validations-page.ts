import {
  CLUSTER_RULES,
  DEFAULT_FLAP_POLICY,
  HOST_RULES,
  NEVER_IGNORABLE_CLUSTER_RULES,
  NEVER_IGNORABLE_HOST_RULES,
} from '@muster/validation-rules';

interface Row {
  readonly id: string;
  readonly category: string;
  readonly checks: string;
  readonly gate: string;
  readonly remedy: string;
  readonly needs: readonly string[];
  readonly comesAndGoes?: true;
  readonly toleratesPending?: true;
}

/** Every pre-flight validation, from the tables that decide. */
export function validationsPage(): string {
  return [
    '# Validations',
    '',
    'Generated from `libs/validation-rules`: all validations before an installation, what a failure blocks, and its remedy.',
    'A validation that is not needed for a host or cluster has no outcome there. **Gate** says what waits for it; gates of operators are those of the',
    'hosts and clusters that they were chosen for. Ignoring a validation is possible where nothing else is said.',
    '',
    `Some rest on what is measured again and again. A failure counts at once. One that turned ${DEFAULT_FLAP_POLICY.flipsMin} times within`,
    `${minutes(DEFAULT_FLAP_POLICY.windowMs)} minutes flaps: it passes again once it has not turned for ${minutes(DEFAULT_FLAP_POLICY.quietMs)} minutes, and until then its turns are neither stored nor told.`,
    '',
    ...section('Of hosts', HOST_RULES, NEVER_IGNORABLE_HOST_RULES),
    ...section('Of clusters', CLUSTER_RULES, NEVER_IGNORABLE_CLUSTER_RULES),
  ].join('\n');
}

function section(title: string, rules: readonly Row[], neverIgnorable: readonly string[]): readonly string[] {
  return [
    `## ${title}`,
    '',
    `${rules.length} validations.`,
    '',
    ...rules.flatMap((rule) => [
      `### ${rule.id}`,
      '',
      cell(rule.checks),
      '',
      `- Group \`${rule.category}\`, gate \`${rule.gate}\`${neverIgnorable.includes(rule.id) ? ', can never be ignored' : ''}`,
      ...(rule.needs.length > 0 ? [`- Pending until known: ${rule.needs.join(', ')}`] : []),
      ...(rule.comesAndGoes ? ['- May flap'] : []),
      ...(rule.toleratesPending ? ['- Nothing waits for it while it is pending'] : []),
      `- When it fails: ${cell(rule.remedy)}`,
      '',
    ]),
  ];
}

const MS_PER_MINUTE = 60_000;
const minutes = (durationMs: number): number => durationMs / MS_PER_MINUTE;

const cell = (text: string): string => text.replace(/\s+/g, ' ').trim();
