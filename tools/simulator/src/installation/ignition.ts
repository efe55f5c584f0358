import type { IgnitionConfig } from '@muster/ignition-config';

/** A machine that gets something else than a configuration could not boot. Throws with the reason. */
export function readIgnition(bytes: Buffer, what: string): IgnitionConfig {
  let config: Partial<IgnitionConfig> | null;
  try {
    config = JSON.parse(bytes.toString('utf8')) as Partial<IgnitionConfig> | null;
  } catch {
    throw new Error(`The service gave no JSON for ${what}.`);
  }
  if (typeof config?.ignition?.version !== 'string')
    throw new Error(`The service gave JSON, but no ignition config for ${what}.`);
  return config as IgnitionConfig;
}
