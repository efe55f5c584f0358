import { parseStreamId } from '@muster/ports';
import type { StreamCategory } from './event-types';

export { parseStreamId };

export type ServiceName = 'registration' | 'inventory' | 'validation' | 'ignition' | 'image' | 'events';

/** The only service that may append to streams of a category. */
export const STREAM_OWNERS: Record<StreamCategory, ServiceName> = {
  cluster: 'registration',
  infraEnv: 'registration',
  host: 'registration',
  inventory: 'inventory',
  validation: 'validation',
  artifact: 'ignition',
  manifest: 'ignition',
  image: 'image',
  note: 'events',
};

export function streamIdOf(category: StreamCategory, id: string): `${StreamCategory}-${string}` {
  return `${category}-${id}`;
}

/** A host in one infra-env: `<infraEnvId>.<hostId>`. One machine may be registered in several infra-envs. */
export type HostKey = `${string}.${string}`;

export function hostKeyOf(infraEnvId: string, hostId: string): HostKey {
  return `${infraEnvId}.${hostId}`;
}

/** Returns the host of a stream whose id is a host key, such as `host-…` or `inventory-…`. */
export function hostKeyOfStream(streamId: string): HostKey {
  const { infraEnvId, hostId } = parseHostKey(parseStreamId(streamId).id);
  return hostKeyOf(infraEnvId, hostId);
}

export const isHostKey = (id: string): id is HostKey => id.includes('.');

export function parseHostKey(hostKey: string): { readonly infraEnvId: string; readonly hostId: string } {
  const dot = hostKey.indexOf('.');
  return { infraEnvId: hostKey.slice(0, dot), hostId: hostKey.slice(dot + 1) };
}
