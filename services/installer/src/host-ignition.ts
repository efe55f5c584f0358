import type { IgnitionConfig } from '@muster/ignition-config';
import { type Installation, INSTALL_FOLDER } from './installation';

/** Reads an Ignition config. @throws when there is none, with what was found instead */
export function parseIgnition(bytes: Buffer | undefined, what: string): IgnitionConfig {
  if (!bytes) throw new Error(`The Ignition config ${what} does not exist.`);
  let config: Partial<IgnitionConfig> | null;
  try {
    config = JSON.parse(bytes.toString('utf8')) as Partial<IgnitionConfig> | null;
  } catch {
    throw new Error(`The Ignition config ${what} is not JSON.`);
  }
  if (typeof config?.ignition?.version !== 'string')
    throw new Error(`The Ignition config ${what} has no ignition.version.`);
  return config as IgnitionConfig;
}

/** Downloads the pointer config of this host. */
export async function fetchHostIgnition(installation: Installation, signal: AbortSignal): Promise<void> {
  const { api, host, settings } = installation;
  const { hostId, infraEnvId } = settings;
  // The bootstrap host becomes a node of the control plane.
  const role = settings.role === 'bootstrap' ? 'master' : settings.role;
  const bytes = await api.hostIgnition({ hostId, infraEnvId }, signal);
  const path = `${INSTALL_FOLDER}/${role}-${hostId}.ign`;
  parseIgnition(bytes, path);
  await host.writeFile(path, bytes);
  installation.ignitionPath = path;
}
