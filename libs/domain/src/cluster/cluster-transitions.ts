import type { ClusterTransition } from './cluster-row';
import { COMPLETION_ROWS } from './rows/completion.rows';
import { DEADLINE_ROWS } from './rows/deadline.rows';
import { INSTALLATION_ROWS } from './rows/installation.rows';
import { PERSON_ROWS } from './rows/person.rows';
import { PREPARATION_ROWS } from './rows/preparation.rows';
import { READINESS_ROWS } from './rows/readiness.rows';
import { REGISTRATION_ROWS } from './rows/registration.rows';

/** The cluster's whole state machine. Rows are disjoint and carry no order. */
export const CLUSTER_TRANSITIONS: readonly ClusterTransition[] = [
  ...REGISTRATION_ROWS,
  ...READINESS_ROWS,
  ...PREPARATION_ROWS,
  ...INSTALLATION_ROWS,
  ...COMPLETION_ROWS,
  ...DEADLINE_ROWS,
  ...PERSON_ROWS,
];
