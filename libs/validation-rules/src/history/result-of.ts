import type { Outcome } from '../rule/rule';

export type OutcomeResult = 'passing' | 'failing' | '';

/** What an outcome says for or against its subject. Pending and disabled say neither: what was found before stands. */
export function resultOf({ status }: Pick<Outcome, 'status'>): OutcomeResult {
  if (status === 'success') return 'passing';
  return status === 'failure' || status === 'error' ? 'failing' : '';
}
