import { RefusalError } from '@muster/problems';

/** Checks that a resource works now. `check` returns why it does not, or undefined, and does not reject. */
export interface Probe {
  readonly part: string;
  check(): Promise<string | undefined>;
}

/** Injection token of the probes of the platform. */
export const PROBES = Symbol('Probes');

/** The probe that fails when the disk has less free space than the reserve of the event store. */
export const DISK_PROBE = 'disk';

/**
 * Refuses bodies that can be sent again later, so that the rest of the disk stays for the event store.
 * @throws RefusalError `insufficient-storage`
 */
export async function requireDiskReserve(probes: readonly Probe[]): Promise<void> {
  const reason = await probes.find(({ part }) => part === DISK_PROBE)?.check();
  if (reason) throw new RefusalError({ code: 'insufficient-storage', reason: `The body was not stored: ${reason}.` });
}

const FULL_DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);

/** Whether an error says that a disk or its quota is full. */
export const isFullDisk = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && FULL_DISK.has(String(error.code));
