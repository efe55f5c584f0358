import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJsonReader } from '@muster/schema';
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

/** Keeps one file per name in `folder`. An entry whose process ended without withdrawing it is ignored. */
export function createServerNames(folder: string): ServerNames {
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
      mkdirSync(folder, { recursive: true, mode: 0o700 });
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

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
