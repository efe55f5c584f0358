import type { ClusterDocument, HostDocument } from '@muster/assisted-api';

/** A collected log bundle: `source` is `controller` or a host's id. */
export interface CollectedLog {
  readonly source: string;
  readonly digest: string;
  readonly fileName: string;
}

/** The collected logs of a cluster, those of the controller first. */
export function collectedLogs(cluster: ClusterDocument, hosts: readonly HostDocument[]): readonly CollectedLog[] {
  const name = safe(cluster.name);
  const logs: CollectedLog[] = [];
  const controller = cluster._log_digests['controller'];
  if (controller) logs.push({ source: 'controller', digest: controller, fileName: `${name}_controller_logs.tar.gz` });
  for (const host of hosts) {
    const digest = host._logs_digest ?? cluster._log_digests[host.id];
    if (!digest) continue;
    const role = host.bootstrap ? 'bootstrap' : host.role;
    const hostName = safe(host.requested_hostname || host._reported_hostname || host.id);
    const fileName = `${[name, role, hostName].filter(Boolean).join('_')}.tar.gz`;
    const isTaken = logs.some((log) => log.fileName === fileName);
    logs.push({
      source: host.id,
      digest,
      // The names of assisted-service v2; the id keeps two hosts of one name apart.
      fileName: isTaken ? fileName.replace(/\.tar\.gz$/, `_${host.id}.tar.gz`) : fileName,
    });
  }
  return logs;
}

/** Hosts report their names: a name must not contain a path or break the header. */
const safe = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .replace(/^\.+/, '')
    .slice(0, 64);
