import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory {
  readonly path: string;
  /** Deletes it with all that is in it. Idempotent. */
  remove(): void;
}

export const temporaryDirectory = (): TemporaryDirectory => {
  const path = mkdtempSync(join(tmpdir(), 'muster-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
};
