import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJsonReader, errorCode } from '@muster/schema';
import { Type } from '@sinclair/typebox';

/** Ports of a machine-config server on 127.0.0.1. They represent the ports 22623 (TLS) and 22624 of a real server. */
export interface ServerPorts {
  readonly tlsPort: number;
  readonly plainPort: number;
}

/** The name server for machine-config servers of all simulator processes on this computer. */
export interface ServerNames {
  /** Publishes a server under names or addresses. Returns the function that withdraws it. */
  publish(names: readonly string[], ports: ServerPorts): () => void;
  /** Returns the server that a running process published under this name or address. */
  find(name: string): ServerPorts | undefined;
}

/** Processes of one user find each other's servers in this folder. */
export const DEFAULT_NAMES_FOLDER = join(tmpdir(), `muster-simulator-${process.getuid?.() ?? 'user'}`);

const readEntry = createJsonReader(
  Type.Object({ pid: Type.Integer(), tlsPort: Type.Integer(), plainPort: Type.Integer() }),
  { name: 'the published machine-config server' },
);

/**
 * Keeps one file per name in `folder`. An entry whose process ended without withdrawing it is ignored.
 * @throws Error when files cannot be written there. The first cluster would fail after minutes otherwise
 */
export function createServerNames(folder: string): ServerNames {
  // A simulator that publishes no name leaves no folder.
  if (makeFolder(folder)) removeEmpty(folder);
  const fileOf = (name: string): string => join(folder, `${encodeURIComponent(name.toLowerCase())}.json`);
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return '';
    }
  };
  return {
    publish: (names, { tlsPort, plainPort }) => {
      const entry = JSON.stringify({ pid: process.pid, tlsPort, plainPort });
      // A program that cleans temporary files may have removed it.
      makeFolder(folder);
      for (const file of names.map(fileOf)) {
        const written = `${file}.${process.pid}`;
        writeFileSync(written, entry);
        renameSync(written, file);
      }
      return () => {
        // Another process may have published a newer server under the same name.
        for (const file of names.map(fileOf)) if (read(file) === entry) rmSync(file, { force: true });
      };
    },
    find: (name) => {
      const text = read(fileOf(name));
      if (text === '') return undefined;
      const { pid, tlsPort, plainPort } = readEntry(text);
      return isRunning(pid) ? { tlsPort, plainPort } : undefined;
    },
  };
}

/** Returns whether there was no such folder. */
function makeFolder(folder: string): boolean {
  const probe = join(folder, `${process.pid}.probe`);
  try {
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(probe, '');
    rmSync(probe);
    return made !== undefined;
  } catch (error) {
    const cause = errorCode(error) ?? 'unknown cause';
    throw new Error(
      `The folder ${folder} for the names of clusters cannot be written (${cause}). Give another one with --names.`,
      { cause: error },
    );
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Another simulator uses it by now.
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
