import type { ProblemCode } from '@muster/problems';
import type { Role } from '../auth/caller';

/** An operation of the contract that is answered with a reason instead of a result. `docs/open-operations.md` lists the same rows. */
export interface OpenOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly code: Extract<ProblemCode, 'not-supported' | 'invalid-input'>;
  readonly reason: string;
  /** Whom it would be for; absent: everybody who may ask this way. */
  readonly roles?: readonly Role[];
}

const NO_PRESIGNED = (instead: string): Pick<OpenOperation, 'code' | 'reason'> => ({
  code: 'invalid-input',
  reason: `URLs of an object store are not handed out here; download from ${instead} instead.`,
});

const CLUSTER = 'v2/clusters/:cluster_id';

export const OPEN_OPERATIONS: readonly OpenOperation[] = [
  {
    method: 'GET',
    path: `${CLUSTER}/downloads/credentials-presigned`,
    ...NO_PRESIGNED('downloads/credentials'),
    roles: ['user'],
  },
  { method: 'GET', path: `${CLUSTER}/downloads/files-presigned`, ...NO_PRESIGNED('downloads/files or logs') },
];
