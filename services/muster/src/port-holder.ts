import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/** The process that listens on a TCP port of this machine, e.g. `process 4711 (nginx)`; undefined when it cannot be found out. */
export function holderOfPort(port: number): string | undefined {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => listeningInodes(file, port)));
  if (inodes.size === 0) return undefined;
  for (const pid of entriesOf('/proc').filter((name) => /^\d+$/.test(name)))
    for (const descriptor of entriesOf(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(targetOf(`/proc/${pid}/fd/${descriptor}`))?.[1];
      if (inode && inodes.has(inode)) return `process ${pid} (${textOf(`/proc/${pid}/comm`).trim()})`;
    }
  return undefined;
}

/** Columns of /proc/net/tcp: number, local address:port in hexadecimal, remote address, state, …, inode as the tenth. */
function listeningInodes(file: string, port: number): readonly string[] {
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, '0');
  return textOf(file)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(`:${hexadecimal}`) && state === LISTENING)
    .flatMap((columns) => columns[9] ?? []);
}

const quietly = <Value>(read: () => Value, otherwise: Value): Value => {
  try {
    return read();
  } catch {
    return otherwise;
  }
};
const entriesOf = (directory: string): readonly string[] => quietly(() => readdirSync(directory), []);
const targetOf = (link: string): string => quietly(() => readlinkSync(link), '');
const textOf = (file: string): string => quietly(() => readFileSync(file, 'utf8'), '');
