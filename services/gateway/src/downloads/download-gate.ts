import type { ClusterDocument } from '@muster/assisted-api';
import { RefusalError } from '@muster/problems';

/** From the moment hosts fetch what they are installed with; an earlier installation's files are nobody's any more. */
const STATUSES_WITH_FILES: readonly string[] = [
  'installing',
  'finalizing',
  'installed',
  'error',
  'adding-hosts',
  'cancelled',
  'installing-pending-user-action',
];

/** Throws RefusalError `not-ready` while the status of the cluster promises no files of its installation. */
export function refuseBeforeFilesExist({ status, name }: Pick<ClusterDocument, 'status' | 'name'>, file: string): void {
  if (STATUSES_WITH_FILES.includes(status)) return;
  throw new RefusalError({
    code: 'not-ready',
    reason: `Cluster ${name} is ${status}: ${file} can be downloaded once it is being installed.`,
    subject: 'file_name',
    allowed: STATUSES_WITH_FILES,
  });
}
