import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { backUpSqliteStore, sqliteStoreStats, verifySqliteStore } from '@muster/adapter-sqlite';
import { type Environment, SettingsReader } from '@muster/nest-kit';
import { StartError } from './start-error';

const USAGE = 'Usage: store stats | store verify | store backup <new file>';
const TYPES_SHOWN_MAX = 20;

/**
 * Shows, verifies or backs up the event store in the data directory. Muster may be running.
 * @throws StartError `settings` for an unknown subcommand, `dataDirectory` when the store does not exist or has faults
 */
export function runStoreCommand(
  [command, target]: readonly string[],
  environment: Environment,
  print: (line: string) => void,
): void {
  const file = join(resolve(new SettingsReader(environment).get('MUSTER_DATA_DIRECTORY')), 'events.sqlite');
  if (!existsSync(file)) throw new StartError('dataDirectory', `${file} does not exist. Set MUSTER_DATA_DIRECTORY.`);
  switch (command) {
    case 'stats':
      return showStats(file, print);
    case 'verify':
      return verify(file, print);
    case 'backup':
      if (!target) throw new StartError('settings', USAGE);
      backUpSqliteStore(file, resolve(target));
      return print(`${file} was backed up to ${resolve(target)}.`);
    default:
      throw new StartError('settings', USAGE);
  }
}

function showStats(file: string, print: (line: string) => void): void {
  const { events, streams, bytes, types } = sqliteStoreStats(file);
  print(`${file}: ${events} events in ${streams} streams, ${bytes} bytes`);
  for (const one of types.slice(0, TYPES_SHOWN_MAX))
    print(`${String(one.events).padStart(10)} events ${String(one.bytes).padStart(12)} bytes  ${one.type}`);
}

function verify(file: string, print: (line: string) => void): void {
  const faults = verifySqliteStore(file, (verified) => print(`${verified} events verified`));
  for (const fault of faults) print(fault);
  if (faults.length > 0) throw new StartError('dataDirectory', `${file} has ${faults.length} faults or more.`);
  print(`${file} is sound.`);
}
