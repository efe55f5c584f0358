import type { StreamCategory } from './event-types';

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

/** Splits at the first dash: categories have none. */
export function parseStreamId(streamId: string): { readonly category: string; readonly id: string } {
  const dash = streamId.indexOf('-');
  return { category: streamId.slice(0, dash), id: streamId.slice(dash + 1) };
}

/** A host as one infra-env knows it: `<infraEnvId>.<hostId>`. One machine may be known to several infra-envs. */
export type HostKey = `${string}.${string}`;

export function hostKeyOf(infraEnvId: string, hostId: string): HostKey {
  return `${infraEnvId}.${hostId}`;
}

export function parseHostKey(hostKey: string): { readonly infraEnvId: string; readonly hostId: string } {
  const dot = hostKey.indexOf('.');
  return { infraEnvId: hostKey.slice(0, dot), hostId: hostKey.slice(dot + 1) };
}
