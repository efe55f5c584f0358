/** A machine that gets something else than a configuration could not boot. Throws with the reason. */
export function readIgnition(bytes: Buffer, what: string): void {
  let version: unknown;
  try {
    version = (JSON.parse(bytes.toString('utf8')) as { ignition?: { version?: unknown } }).ignition?.version;
  } catch {
    throw new Error(`The service gave no JSON for ${what}.`);
  }
  if (typeof version !== 'string') throw new Error(`The service gave JSON, but no ignition config for ${what}.`);
}
