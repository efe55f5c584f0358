import type { ClusterDocument } from '@muster/assisted-api';
import { clusterActionRefusal } from '@muster/domain';
import { RefusalError } from '@muster/problems';

/**
 * Refuses the download of a file that the status of the cluster does not permit yet. An earlier installation's files are
 * not served either.
 *
 * @throws RefusalError with code `not-ready`
 */
export function refuseBeforeFilesExist({ status, name }: Pick<ClusterDocument, 'status' | 'name'>): void {
  const refusal = clusterActionRefusal('download-files', status, name);
  if (refusal) throw new RefusalError({ ...refusal, subject: 'file_name' });
}
