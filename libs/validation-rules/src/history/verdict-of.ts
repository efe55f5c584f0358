import type { Outcome } from '../rule/rule';

export type LastVerdict = 'passing' | 'failing' | '';

/** What an outcome says for or against its subject. Pending and disabled say neither: what was found before stands. */
export function verdictOf({ status }: Pick<Outcome, 'status'>): LastVerdict {
  if (status === 'success') return 'passing';
  return status === 'failure' || status === 'error' ? 'failing' : '';
}
