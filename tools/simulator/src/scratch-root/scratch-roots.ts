import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders that stand for the file systems of simulated machines. */
export interface ScratchRoots {
  /** An empty one; whatever the machine had under that name is gone. */
  fresh(hostId: string, system: 'live' | 'installed'): string;
  /** Where it is, whether or not the machine has got one. */
  of(hostId: string, system: 'live' | 'installed'): string;
  remove(): void;
}

export function createScratchRoots(): ScratchRoots {
  let base: string | undefined;
  const of: ScratchRoots['of'] = (hostId, system) => {
    base ??= mkdtempSync(join(tmpdir(), 'muster-roots-'));
    return join(base, `${hostId}-${system}`);
  };
  return {
    of,
    fresh: (hostId, system) => {
      const root = of(hostId, system);
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root);
      return root;
    },
    remove: () => {
      if (base) rmSync(base, { recursive: true, force: true });
      base = undefined;
    },
  };
}
