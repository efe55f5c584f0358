import type { ClusterDocument, HostDocument } from '@muster/assisted-api';

/** A collected log bundle: `source` is `controller` or a host's id. */
export interface CollectedLog {
  readonly source: string;
  readonly digest: string;
  readonly fileName: string;
}

/** What has been collected for a cluster, the controller's first. */
export function collectedLogs(cluster: ClusterDocument, hosts: readonly HostDocument[]): readonly CollectedLog[] {
  const name = safe(cluster.name);
  const logs: CollectedLog[] = [];
  const controller = cluster._log_digests['controller'];
  if (controller) logs.push({ source: 'controller', digest: controller, fileName: `${name}_controller_logs.tar.gz` });
  for (const host of hosts) {
    const digest = host._logs_digest ?? cluster._log_digests[host.id];
    if (!digest) continue;
    const role = host.bootstrap ? 'bootstrap' : host.role;
    const hostName = safe(host.requested_hostname || host._reported_hostname || '');
    logs.push({
      source: host.id,
      digest,
      fileName: [name, role, hostName, `${host.id}.tar.gz`].filter(Boolean).join('_'),
    });
  }
  return logs;
}

/** Host names come from hosts: nothing of them may reach out of the archive or the header. */
const safe = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .replace(/^\.+/, '')
    .slice(0, 64);
