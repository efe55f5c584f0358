import type { HostKey } from '@muster/contracts';

/** A host or a cluster that is evaluated: `host:<infraEnvId>.<hostId>` or `cluster:<id>`. */
export type Subject = `host:${HostKey}` | `cluster:${string}`;

export const hostSubject = (key: HostKey): Subject => `host:${key}`;
export const clusterSubject = (id: string): Subject => `cluster:${id}`;

export function parseSubject(
  subject: string,
): { readonly kind: 'host'; readonly id: HostKey } | { readonly kind: 'cluster'; readonly id: string } {
  const id = subject.slice(subject.indexOf(':') + 1);
  return subject.startsWith('host:') ? { kind: 'host', id: id as HostKey } : { kind: 'cluster', id };
}

/** Returns the subject of a `validation-` stream: host keys have a dot, cluster ids do not. */
export const subjectOfStreamId = (id: string): Subject =>
  id.includes('.') ? hostSubject(id as HostKey) : clusterSubject(id);
