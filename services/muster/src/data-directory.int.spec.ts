import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory, type TemporaryDirectory } from '@muster/testing';
import { lockDataDirectory } from './data-directory';
import { StartError } from './start-error';

describe('The data directory', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => directory.remove());

  it('admits one embedded process; a second one names the first', () => {
    const lock = lockDataDirectory(directory.path, 'all services', 'exclusive');
    const second = (): unknown => lockDataDirectory(directory.path, 'all services', 'exclusive');
    expect(second).toThrow(StartError);
    expect(second).toThrow(new RegExp(`in use by process ${process.pid} \\(all services\\).*MUSTER_DATA_DIRECTORY`));
    lock.release();
    lockDataDirectory(directory.path, 'all services', 'exclusive').release();
  });

  it('is shared by services that run alone, and not with an embedded process', () => {
    const locks = ['events', 'gateway'].map((name) => lockDataDirectory(directory.path, name, 'shared'));
    expect(() => lockDataDirectory(directory.path, 'all services', 'exclusive')).toThrow(/in use by process/);
    locks.forEach((lock) => lock.release());
  });

  it('has to be writable', () => {
    const file = join(directory.path, 'file');
    writeFileSync(file, '');
    expect(() => lockDataDirectory(join(file, 'data'), 'all services', 'exclusive')).toThrow(
      /is not writable.*MUSTER_DATA_DIRECTORY/,
    );
  });
});
